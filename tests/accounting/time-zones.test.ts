// @module-tag long
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readLog } from '../support/event-log.ts'
import { operatorHere } from '../../harness/operator.ts'
import { readSettings } from '../../infrastructure/settings.ts'
import { operatedPlace } from './operated-place.ts'

const { place, daybook, moveTo } = await operatedPlace()

const settlementsSoFar = async () => (await place.get('/merchant/v1/settlement/')).uris.length
const ofType = async (type: string): Promise<any[]> =>
  (await readLog(place.directory)).filter((event) => event.type === type).map(({ data }) => data)

test('given a new merchant, then its zone is UTC, until the operator says otherwise', async () => {
  const path = '/merchant/v1/merchant/sandbox/'
  expect((await place.get(path)).time_zone).toBe('UTC')
  const wrong = await daybook('merchant', 'change', 'sandbox', '--time-zone', '+01:00')
  expect(wrong).toMatchObject({
    code: 1,
    errors: '+01:00 is not a time zone of the IANA database, such as Europe/Oslo\n',
  })
  const { code, output } = await daybook(
    ...['merchant', 'change', 'sandbox', '--time-zone', 'europe/oslo'],
  )
  expect([code, JSON.parse(output).time_zone]).toEqual([0, 'Europe/Oslo'])
  expect((await place.get(path)).time_zone).toBe('Europe/Oslo')
  expect((await ofType('MerchantChanged')).at(-1)).toMatchObject({ timeZone: 'Europe/Oslo' })
})

test('given Easter, then midnight in Oslo settles, and the next bank day pays', async () => {
  await moveTo('2027-03-26 12:00:00')
  const before = await settlementsSoFar()
  await place.capture(await place.authorize({ amount: '100.00' }))
  await moveTo('2027-03-28 21:59:59')
  expect(await settlementsSoFar()).toBe(before)
  await moveTo('2027-03-28 22:00:00')
  expect(await settlementsSoFar()).toBe(before + 1)

  const { settlement_id, payout_details } = await place.get(
    `/merchant/v1/settlement/${before + 1}/`,
  )
  expect(settlement_id.slice(6)).toBe(`-2027-03-29-${before + 1}`)
  expect(payout_details).toMatchObject([{ status: 'due', payout_day: '2027-03-30' }])
  expect((await ofType('SettlementStarted')).at(-1)).toMatchObject({
    dueAt: Date.parse('2027-03-28T22:00:00Z'),
  })
  expect((await ofType('SettlementMade')).at(-1)).toMatchObject({ holidays: ['2027-03-29'] })
})

test('given holidays by the word of the operator, then payouts go by it', async () => {
  const holidays = async (year: string) =>
    JSON.parse((await daybook('holidays', 'list', 'NO', '--year', year)).output).map(
      ({ day }: { readonly day: string }) => day,
    )
  expect(await holidays('2027')).toContain('2027-05-17')
  expect(await holidays('2027')).not.toContain('2027-05-18')
  expect(await daybook('holidays', 'add', 'no', '2027-05-18')).toMatchObject({ code: 0 })
  expect(await daybook('holidays', 'remove', 'no', '2027-05-17')).toMatchObject({ code: 0 })
  expect(await holidays('2027')).toContain('2027-05-18')
  expect(await holidays('2027')).not.toContain('2027-05-17')
  expect((await daybook('holidays', 'add', 'NO', '2027-02-30')).errors).toBe(
    '2027-02-30 is not a day, as YYYY-MM-DD\n',
  )

  await moveTo('2027-05-16 21:00:00')
  await place.sandbox('settlement/', { merchant: 'sandbox' })
  await place.capture(await place.authorize({ amount: '100.00' }))
  await moveTo('2027-05-16 22:00:00')
  await place.capture(await place.authorize({ amount: '100.00' }))
  await moveTo('2027-05-17 22:00:00')
  const made = (await ofType('SettlementMade')).slice(-2)
  expect(made.map(({ payoutDay }) => payoutDay)).toEqual(['2027-05-17', '2027-05-19'])
  expect(made.map(({ holidays }) => holidays)).toEqual([undefined, ['2027-05-18']])
})

test("when a merchant's day is behind the bank's, days of payment are the bank's", async () => {
  const zone = ['--time-zone', 'America/Los_Angeles']
  expect(await daybook('merchant', 'change', 'sandbox', ...zone)).toMatchObject({ code: 0 })
  await moveTo('2027-06-02 22:30:00')
  await place.capture(await place.authorize({ amount: '100.00' }))
  const bank = { BANK_ACCOUNT: 'NO9386011117947', BANK_TIME_ZONE: 'Europe/Oslo' }
  const settings = readSettings({ MODE: 'sandbox', DATA_DIR: place.directory, ...bank })
  const file = join(place.directory, 'pain001.xml')
  expect(await operatorHere(settings)('settle', '--pain001', file)).toMatchObject({ code: 0 })
  const xml = readFileSync(file, 'utf8')
  expect(xml).toContain('<CreDtTm>2027-06-03T00:30:')
  const days = [...xml.matchAll(/<Dt>([^<]*)<\/Dt>/g)].map(([, day = '']) => day)
  expect(days).not.toEqual([])
  for (const day of days) expect(day >= '2027-06-03').toBe(true)
})

test('given all of that, then every settlement follows from the log by the rules', async () => {
  const { output } = await daybook('audit', 'verify')
  expect(JSON.parse(output)).toMatchObject({ problems: [] })
})
