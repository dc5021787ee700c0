import { createPrivateKey } from 'node:crypto'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { merchantClient, type MerchantClient } from '../../../harness/merchant-client.ts'
import { sandboxPayers } from '../../../service/sandbox/sandbox-data.ts'
import { phone } from '../../people/page-browser.ts'
import { typeCode, typePin } from '../../people/walk.ts'
import { go, press, rowOf, sees, type Place } from './place.ts'

export const order = 'order-1'

/** A till that signs with its API user's key. */
export const tillWith = (
  { address }: Place,
  merchant: string,
  user: string,
  pem: string,
): MerchantClient => merchantClient(address, { merchant, user, key: createPrivateKey(pem) })

/** The till requests a payment, and the open list shows it without a reload. */
export const seePaymentArrive = async (
  { receiver }: Place,
  list: Page,
  till: MerchantClient,
  posId: string,
): Promise<void> => {
  await go(list, 'Payments')
  await sees(list, 'No payments yet.')
  await list.evaluate('window.isSamePage = true')
  const { status, body } = await till('POST', '/merchant/v1/payment_request/', {
    ...{ pos_id: posId, pos_tid: order, customer: sandboxPayers.alice.phone, action: 'auth' },
    ...{
      currency: 'NOK',
      amount: '249.00',
      allow_credit: false,
      text: 'Cake for eight',
      callback_uri: receiver.url,
    },
  })
  expect([status, body]).toEqual([201, expect.anything()])
  await sees(list.locator('tr', { hasText: order }), 'Waiting')
}

/** Alice finds it on her phone and accepts; the shop's page updates itself. */
export const accept = async (place: Place, list: Page): Promise<void> => {
  const page = await place.open(phone)
  await page.goto(`${place.address}/payer/sign-in`)
  await typePin(page, 'alice')
  await typeCode(page, 'alice')
  await page.getByRole('link', { name: 'Cake for eight' }).click()
  await press(page, /^Reserve\s+NOK\s+249\.00$/)
  await page.locator('button[value=accept]').waitFor({ state: 'detached' })
  await page.context().close()
  await sees(list.locator('tr', { hasText: order }), 'Reserved')
  expect(await list.evaluate('window.isSamePage')).toBe(true)
}

/** The numbers of a preview: before and after. */
const previewed = async (page: Page, name: string): Promise<readonly string[]> => {
  const cells = await rowOf(page, name).locator('td').allInnerTexts()
  return cells.map((text) => text.replaceAll(/\s/g, ' '))
}

const sheet = (page: Page) => page.locator('[data-part=side]')

const timeline = (page: Page) => page.locator('.timeline')

export const openPayment = async (page: Page): Promise<void> => {
  await go(page, 'Payments')
  await page.locator('tr', { hasText: order }).getByRole('link').click()
  await sees(page, 'What has happened')
}

export const captureHalf = async (page: Page): Promise<void> => {
  await openPayment(page)
  await go(page, 'Capture')
  await page.getByLabel('Total (NOK)').fill('124.50')
  await press(page, 'Review the capture')
  await page.waitForURL(/amount=124\.50/)
  expect(await previewed(page, 'Captured')).toEqual(['NOK 0.00', 'NOK 124.50'])
  expect(await previewed(page, 'Left to capture')).toEqual(['NOK 249.00', 'NOK 124.50'])
  await press(page, 'Capture NOK 124.50')
  await sees(page, 'NOK 124.50 captured. NOK 124.50 is left to capture.')
  await sees(page, 'Partly captured')
  await sees(timeline(page), 'NOK 124.50 was captured.')
  await sees(timeline(page), 'by Kari Nordmann (staff)')
}

export const refundPart = async (page: Page): Promise<void> => {
  await go(page, 'Refund')
  await page.getByLabel('Total (NOK)').fill('24.50')
  await press(page, 'Review the refund')
  await page.waitForURL(/amount=24\.50/)
  expect(await previewed(page, 'Refunded')).toEqual(['NOK 0.00', 'NOK 24.50'])
  await page.getByLabel('Reason').fill('One piece was dry')
  await press(page, 'Refund NOK 24.50')
  await sees(page, 'NOK 24.50 refunded. NOK 100.00 more can be refunded.')
  await sees(page, 'Partly refunded')
  await sees(timeline(page), 'NOK 24.50 was refunded.')
  await sees(sheet(page), 'payment_refunded')
}
