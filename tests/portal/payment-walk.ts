import type { Page } from 'playwright-core'
import type { PeopleService } from '../support/people-service.ts'
import type { Walk } from '../people/walk.ts'
import { signInTo } from './portal-walk.ts'

type PaymentWalk = Pick<Walk, 'service' | 'open' | 'seen'>

const home = '/portal/sandbox'

/** An authorised payment with line items and a tip; returns its id. */
export const sellDinner = async (service: PeopleService, posTid: string): Promise<string> => {
  const { id } = await service.requestPayment({
    ...{ pos_tid: posTid, customer: '+4799999901', text: 'Table 7', additional_amount: '49.00' },
    ...{ amount: '298.00', callback_uri: 'http://127.0.0.1:9/callback' },
    line_items: [
      {
        ...{ product_id: 'soup', description: 'Fish soup', quantity: 1, item_cost: '149.00' },
        ...{ total: '149.00', vat: '19.43', vat_rate: '15' },
      },
      {
        ...{ product_id: 'wine', description: 'White wine', quantity: 1, item_cost: '149.00' },
        ...{ total: '149.00', vat: '29.80', vat_rate: '25' },
      },
    ],
  })
  await service.call('POST', `/sandbox/v1/payment_request/${id}/accept/`, {})
  return id
}

const confirm = (page: Page) => page.locator('form[method=post] .actions button')

/** The list, and a payment that is partly captured and partly refunded. */
const walkPayments = async ({ service, seen }: PaymentWalk, page: Page): Promise<void> => {
  const at = async (path: string) => page.goto(service.address + home + path)
  const tid = await sellDinner(service, `dinner-${Date.now()}`)
  await at('/payments')
  await seen('portal-payments', page)
  await at('/payments?status=ok&sort=largest&least=100')
  await seen('portal-payments-filtered', page)
  await at('/payments?q=nobody')
  await seen('portal-payments-none', page)
  await at(`/payments/${tid}`)
  await seen('portal-payment-reserved', page)
  await at(`/payments/${tid}/capture?amount=1000`)
  await seen('portal-capture-refused', page)
  await at(`/payments/${tid}/capture?amount=149&additional=49`)
  await seen('portal-capture', page)
  await confirm(page).click()
  await page.waitForURL(/done=capture/)
  await at(`/payments/${tid}/refund?amount=49`)
  await page.locator('[name=reason]').fill('The soup was cold')
  await seen('portal-refund', page)
  await confirm(page).click()
  await page.waitForURL(/done=refund/)
  await seen('portal-payment', page)
  await at(`/payments/${tid}/renew`)
  await seen('portal-renew', page)
  await at(`/payments/${tid}/release`)
  await seen('portal-release', page)
}

/** Points of sale, and a code with all its prints. */
const walkPoints = async ({ service, seen }: PaymentWalk, page: Page): Promise<string> => {
  const at = async (path: string) => page.goto(service.address + home + path)
  await at('/points-of-sale/new-code')
  await seen('portal-new-code', page)
  await page.locator('[name=description]').fill('Garden')
  await confirm(page).click()
  await page.waitForURL(/done=made/)
  const path = new URL(page.url()).pathname
  const code = path.split('/').at(-1) ?? ''
  for (const argstring of ['', 'Table 7', 'Table 12', 'Table 7'])
    await service.call('POST', `/sandbox/v1/shortlink/${code}/scan/`, { argstring })
  await page.goto(service.address + path)
  await seen('portal-code', page)
  await page.goto(`${service.address}${path}/poster`)
  await seen('portal-poster', page)
  await page.goto(`${service.address}${path}/labels`)
  await seen('portal-labels-asked', page)
  await page.goto(`${service.address}${path}/labels?tables=1-x`)
  await seen('portal-labels-wrong', page)
  await page.goto(`${service.address}${path}/labels?tables=1-4,7`)
  await seen('portal-labels', page)
  await at('/points-of-sale')
  await seen('portal-points', page)
  await at('/points-of-sale/new')
  await seen('portal-new-pos', page)
  await at('/points-of-sale/pos/till-1')
  await seen('portal-pos', page)
  return path
}

/** Every page of payments and points of sale; returns the location of the code it makes. */
export const walkSales = async (walk: PaymentWalk): Promise<string> => {
  const page = await walk.open()
  await signInTo(page, walk.service.address, `${home}/payments`)
  await walkPayments(walk, page)
  return walkPoints(walk, page)
}
