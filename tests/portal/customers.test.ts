import { beforeAll, expect, test, afterAll } from 'vitest'
import { startPaymentDesk, type PaymentDesk } from './payment-desk.ts'

let desk: PaymentDesk

beforeAll(async () => {
  desk = await startPaymentDesk()
})
afterAll(() => desk.service.stop())

const code = async (description?: string): Promise<string> =>
  (await desk.service.call('POST', '/merchant/v1/shortlink/', { description })).body.id

/** What a payment's row and its page call the customer. */
const calledBy = async (tid: string, search: string): Promise<readonly unknown[]> => {
  const list = (await desk.listOf(`?q=${search}`)).html
  const { html } = await desk.alice.visit(`/portal/sandbox/payments/${tid}`)
  return [
    /<td class="whom"[^>]*>(?:<[^>]*>)?([^<]*)/.exec(list)?.[1],
    /<dt>Customer<\/dt><dd>(?:<[^>]*>)?([^<]*)/.exec(html)?.[1],
  ]
}

test('a code is called what its label says, else its description', async () => {
  const [named, plain] = [await code('The garden'), await code()]
  const request = (pos_tid: string, customer?: string) =>
    desk.request({ pos_tid, ...(customer !== undefined && { customer }) })
  const bare = await request('bare', `shortlink_id:${plain}`)
  expect(await calledBy(bare, 'bare')).toEqual(['QR code', 'QR code'])
  const told = await request('told', `shortlink_id:${named}`)
  expect(await calledBy(told, 'told')).toEqual(['The garden', 'The garden'])
  const scan = { payer: '4799999901', argstring: 'Table 7' }
  const { body } = await desk.service.call('POST', `/sandbox/v1/shortlink/${named}/scan/`, scan)
  expect(await calledBy(told, 'told')).toEqual(['Table 7', 'Table 7'])
  const token = await request('token', body.id)
  expect(await calledBy(token, 'token')).toEqual(['Table 7', 'Table 7'])
  const anybody = await request('anybody')
  const waits = 'Link or QR code'
  expect(await calledBy(anybody, 'anybody')).toEqual([waits, waits])
})
