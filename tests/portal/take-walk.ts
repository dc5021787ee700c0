import type { Page } from 'playwright-core'
import type { Walk } from '../people/walk.ts'
import { signInTo } from './portal-walk.ts'

type TakeWalk = Pick<Walk, 'service' | 'open' | 'seen'>

const home = '/portal/sandbox/take'

/** Where the payment of the open page stands, once it says so. */
export const stands = (page: Page, state: string) =>
  page.locator('.stand', { hasText: state }).waitFor()

/** A link that many may pay: made, shown, opened, and sold out. */
const walkLinks = async ({ service, seen }: Pick<TakeWalk, 'service' | 'seen'>, page: Page) => {
  const sent = async (text: string, stock: string) => {
    await page.goto(`${service.address}/portal/sandbox/new-link`)
    await page.locator('[name=amount]').fill('250')
    await page.locator('[name=text]').fill(text)
    await page.locator('[name=stock]').fill(stock)
    await page.locator('form.take .actions button').click()
  }
  await sent('A course in bread', 'many')
  await page.locator('#stock-problem').waitFor()
  await seen('link-wrong', page)
  await sent('A course in bread with sour dough for beginners and their neighbours', '20')
  await page.locator('#link').waitFor()
  await seen('link', page)
  const address = (await page.locator('#link').innerText()).trim()
  await page.goto(`${service.address}/portal/sandbox/links`)
  await seen('links', page)
  await page.goto(address)
  await page.locator('form[action="/payer/scan"]').waitFor()
  await seen('link-opened', page)
}

/** Every page of a payment that is taken, with its ends. */
export const walkTake = async ({ service, open, seen }: TakeWalk): Promise<void> => {
  const page = await open()
  const send = () => page.locator('form.take .actions button').click()
  const start = async (how: 'phone' | 'code', amount = '25,50') => {
    await page.goto(service.address + home)
    await page.locator('[name=amount]').fill(amount)
    await page.locator(`[name=how][value=${how}]`).check()
  }
  const tidHere = () => new URL(page.url()).pathname.split('/').at(-1) ?? ''
  const answer = (verb: 'accept' | 'decline', tid = tidHere()) =>
    service.call('POST', `/sandbox/v1/payment_request/${tid}/${verb}/`, { payer: 'bob' })
  await signInTo(page, service.address, home)
  await seen('take-form', page)
  await start('phone', '0')
  await page.locator('[name=phone]').fill('99')
  await send()
  await page.locator('#amount-problem').waitFor()
  await seen('take-wrong', page)
  await start('phone')
  await page.locator('[name=phone]').fill('99 99 99 02')
  await send()
  await page.waitForURL(/\/take\/\w+$/)
  await seen('taking-phone', page)
  await answer('decline')
  await page.locator('.stand.bad').waitFor()
  await seen('taking-declined', page)
  await start('code')
  await page.locator('[name=text]').fill('Flowers for the wedding of Kari and Ola')
  await send()
  await page.waitForURL(/\/take\/\w+$/)
  await seen('taking-code', page)
  await answer('accept')
  await page.locator('.stand.good').waitFor()
  await seen('taking-paid', page)
  await start('code')
  await page.locator('[name=reserve]').check()
  await send()
  await page.waitForURL(/\/take\/\w+$/)
  await answer('accept')
  await page.locator('.taking a.button').first().waitFor()
  await seen('taking-reserved', page)
  await walkLinks({ service, seen }, page)
}
