import { afterAll, beforeAll, expect, test } from 'vitest'
import { usualDays } from '../../web/portal/payments/query.ts'
import { startPaymentDesk, type PaymentDesk } from './payment-desk.ts'

let desk: PaymentDesk

beforeAll(async () => {
  desk = await startPaymentDesk()
})
afterAll(() => desk.service.stop())

const at = Date.parse('2026-11-28T12:30:00Z')

test.each([
  ['UTC', '2026-11-28', '2026-11-27', '2026-11-22'],
  ['Pacific/Auckland', '2026-11-29', '2026-11-28', '2026-11-23'],
  ['Pacific/Pago_Pago', '2026-11-28', '2026-11-27', '2026-11-22'],
])('in %s it is %s, and yesterday was %s', (zone, today, yesterday, sixDaysAgo) => {
  expect(usualDays(zone, at)).toEqual({
    today: { since: today, until: today },
    yesterday: { since: yesterday, until: yesterday },
    lastWeek: { since: sixDaysAgo, until: today },
  })
})

const linkIn = (html: string, name: string): string => {
  const link = new RegExp(`<a\\s+href="([^"]*)"[^<]*>${name}<`).exec(html)?.[1] ?? ''
  return link.replaceAll('&amp;', '&')
}
const ordersIn = (html: string): string[] =>
  [...html.matchAll(/<td class="what"><span>([^<]*)</g)].map(([, order = '']) => order)

test('when yesterday’s largest payment is looked for, two links lead to it', async () => {
  const { service, alice, request, listOf } = desk
  await request({ pos_tid: 'large', amount: '250.00' })
  await request({ pos_tid: 'small', amount: '40.00' })
  await service.advance(86_400)
  await request({ pos_tid: 'today', amount: '900.00' })
  await alice.signIn('alice')
  const { html } = await listOf()
  expect(ordersIn(html)).toEqual(['today', 'small', 'large'])
  const yesterday = await alice.visit(linkIn(html, 'Yesterday'))
  expect(ordersIn(yesterday.html)).toEqual(['small', 'large'])
  // The filter form stays closed: the link shows the filter.
  expect(yesterday.html).toMatch(/aria-current="true"\s*>Yesterday</)
  expect(yesterday.html).not.toMatch(/<details\s+open/)
  const largest = await alice.visit(linkIn(yesterday.html, 'Largest request first'))
  expect(ordersIn(largest.html)).toEqual(['large', 'small'])
  expect(ordersIn((await alice.visit(linkIn(largest.html, 'Any day'))).html)).toHaveLength(3)
})
