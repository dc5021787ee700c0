import { expect, test } from 'vitest'
import { codeOf } from '../support/people-service.ts'
import { sandboxPayers } from '../../service/sandbox/sandbox-data.ts'
import { desktop } from '../people/page-browser.ts'
import { withKeyboard } from './keyboard.ts'
import { sellDinner } from './payment-walk.ts'
import { portalBrowser } from './portal-browser.ts'

const portal = portalBrowser(async (service) => {
  await service.operator('staff', 'add', 'sandbox', '+4799999901', '--role', 'owner')
  const tid = await sellDinner(service, 'dinner')
  await service.call('PUT', `/merchant/v1/payment_request/${tid}/`, { action: 'capture' })
  await service.requestPayment({ pos_tid: 'coffee', amount: '49.00', customer: '4799999901' })
})

test('with the keyboard alone somebody signs in, finds a payment and refunds a part', async () => {
  const context = await portal.browser.newContext({ ...desktop, locale: 'en-GB' })
  const page = await context.newPage()
  const { next, reach, press, type, enter, unseen } = withKeyboard(page)
  await page.goto(`${portal.service.address}/portal/sandbox/payments`)
  const { phone, pin } = sandboxPayers.alice
  await type('Phone number', `+${phone}`)
  await type('PIN', pin)
  await Promise.all([page.waitForEvent('load'), press('Enter')])
  await type('One-time code', codeOf('alice'))
  await Promise.all([page.waitForEvent('load'), press('Enter')])
  expect(await next()).toEqual({ name: 'Skip to content', isInMain: false, isSeen: true })
  await press('Enter')
  expect(await next()).toMatchObject({ isInMain: true })
  await reach('Filters')
  await press('Enter')
  await reach('Order')
  await press('ArrowDown')
  await enter('Show')
  expect(new URL(page.url()).searchParams.get('sort')).toBe('largest')
  await enter('NOK 347.00')
  await enter('Refund')
  await type('Total (NOK)', '49')
  await type('Of this, tip (NOK)', '0')
  await Promise.all([page.waitForEvent('load'), press('Enter')])
  await type('Reason', 'The soup was cold')
  await enter('Refund NOK 49.00')
  await page.getByText('Partly refunded').waitFor()
  await page.getByText('The soup was cold').waitFor()
  expect(unseen).toEqual([])
  await context.close()
})
