// @module-tag long
import { expect, test } from 'vitest'
import { shopOfAlice } from './shop-of-alice.ts'

const { service, alice } = await shopOfAlice()
const home = '/portal/sandbox/'

/** The line with the date. */
const dayIn = (html: string): string =>
  (/<p class="today"[^>]*>([^]*?)<\/p>/.exec(html)?.[1] ?? '')
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()

test('each page says which day it is for the shop, by the clock of the sandbox', async () => {
  await service.operator('merchant', 'change', 'sandbox', '--time-zone', 'Europe/Oslo')
  const { status } = await service.call('POST', '/sandbox/v1/clock/', {
    now: '2027-03-06 22:59:00',
  })
  expect(status).toBe(200)
  await alice.signIn('alice')
  const day = async (path: string, language: string) =>
    dayIn((await alice.visit(home + path, { headers: { 'Accept-Language': language } })).html)
  const pages = [
    '',
    'payments',
    'money',
    'points-of-sale',
    'developers',
    'staff',
    'messages',
    'money/settlements/99',
  ]
  for (const path of pages)
    expect(await day(path, 'en-GB'), path).toBe(
      'Sat, 6 Mar 2027 Time zone Europe/Oslo Sandbox clock',
    )
  await service.advance(60)
  expect(await day('', 'en-GB')).toBe('Sun, 7 Mar 2027 Time zone Europe/Oslo Sandbox clock')
  expect(await day('money', 'nb')).toBe('søn. 7. mars 2027 Tidssone Europe/Oslo Sandkassens klokke')
})

test('every way back looks the same', async () => {
  const { id } = await service.requestPayment({ pos_tid: 'back', customer: '4799999901' })
  const wayIn = (html: string) =>
    [...html.matchAll(/<p class="crumbs">([^]*?)<\/p>/g)].map(([, links = '']) =>
      [...links.matchAll(/>([^<]+)</g)].map(([, name = '']) => name.trim()).filter(Boolean),
    )
  const ways = {
    [`payments/${id}`]: ['Payments'],
    [`payments/${id}/release`]: ['Payments', 'back'],
    'money/terms': ['Money'],
    'money/unsettled': ['Money'],
    'money/ledgers/default/reports/1': ['Money', 'Ledger default'],
    'points-of-sale/pos/till-1': ['Points of sale'],
    'developers/users/pos1': ['API users'],
  }
  for (const [path, way] of Object.entries(ways)) {
    const { html } = await alice.visit(home + path)
    expect([path, wayIn(html), html.includes('class="back"')]).toEqual([path, [way], false])
  }
})
