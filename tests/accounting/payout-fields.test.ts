import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { put } from '../../cli/life-cycles.ts'
import { bankCalendars } from '../../domain/aggregates.ts'
import { openPlace, type Place } from '../../harness/ledger-service.ts'
import { bankRests } from '../../infrastructure/bank/bank-holidays.ts'
import { readBankProfile, usualProfile } from '../../infrastructure/bank/bank-profile.ts'
import { payoutAddress } from '../../infrastructure/bank/payout-account.ts'
import { payoutFile } from '../../infrastructure/bank/payout-file.ts'
import { readSettings } from '../../infrastructure/settings.ts'

const folder = mkdtempSync(join(tmpdir(), 'daybook-profile-'))
afterAll(() => rmSync(folder, { recursive: true }))

const debtor = { name: 'Daybook', account: 'NO9386011117947', bic: null }
const run = { messageId: 'DAYBOOK-1', at: Date.UTC(2026, 10, 26), timeZone: 'UTC' }
const payout = (currency: string, payoutAccount: string, amount = '100') => ({
  ...{ businessName: 'Kafé', merchant: 'cafe', currency, amount, payoutAccount },
  ...{ settlementId: 'HARBOR-2026-11-26-1', endToEndId: `HARBOR-2026-11-26-1-${currency}` },
  payoutDay: '2026-11-27',
})
const norwegian = 'NO9386011117947'
const plain = (xml: string): string => xml.replaceAll(/>\s+</g, '><')
const sepa = '<SvcLvl><Cd>SEPA</Cd></SvcLvl>'

describe('a payment is of SEPA', () => {
  test.each([
    ['in euro from and to IBANs', payout('EUR', norwegian), true],
    ['in kroner', payout('NOK', norwegian), false],
    ['to a national number', payout('EUR', '86011117947'), false],
    ['to an IBAN of another area', payout('EUR', 'AE070331234567890123456'), false],
    ['of the largest amount', payout('EUR', norwegian, '99999999999'), true],
    ['of more than it takes', payout('EUR', norwegian, '100000000000'), false],
  ])('%s', (_, one, isSepa) => {
    const file = plain(payoutFile(debtor, [one], run))
    expect(file.includes(sepa)).toBe(isSepa)
    expect(file).toContain(isSepa ? '<ChrgBr>SLEV</ChrgBr>' : '<ChrgBr>SHAR</ChrgBr>')
  })

  test('or not, each by itself, where a group has both', () => {
    const both = [payout('EUR', norwegian), payout('EUR', '86011117947')]
    const file = plain(payoutFile(debtor, both, run))
    const [, ...transfers] = file.split('<CdtTrfTxInf>')
    expect(transfers.map((one) => one.includes(sepa))).toEqual([true, false])
    expect(file.split('<CdtTrfTxInf>')[0]).not.toContain('SvcLvl')
  })
})

test('a national number says that it is one', () => {
  const file = plain(payoutFile(debtor, [payout('NOK', '86011117947')], run))
  expect(file).toContain('<Id>86011117947</Id><SchmeNm><Cd>BBAN</Cd></SchmeNm>')
})

describe("a bank's own fields", () => {
  const written = (fields: object): string => {
    const file = join(folder, `${JSON.stringify(fields).length}.json`)
    writeFileSync(file, JSON.stringify(fields))
    return file
  }

  test('are read from a file, and stand in payments', () => {
    const profile = readBankProfile(
      written({
        other: { service_level: null, category_purpose: null, purpose: 'COMC' },
        batch_booking: true,
        initiator: { id: '00998877' },
        debtor_address: { street: 'Bryggen', town: 'Bergen', country: 'NO' },
      }),
    )
    const file = plain(payoutFile(debtor, [payout('NOK', norwegian)], { ...run, profile }))
    expect(file).not.toContain('PmtTpInf')
    expect(file).toContain('<BtchBookg>true</BtchBookg>')
    expect(file).toContain('<Purp><Cd>COMC</Cd></Purp>')
    expect(file).toContain('<Othr><Id>00998877</Id><SchmeNm><Cd>CUST</Cd></SchmeNm></Othr>')
    expect(file).toContain(
      '<PstlAdr><StrtNm>Bryggen</StrtNm><TwnNm>Bergen</TwnNm><Ctry>NO</Ctry></PstlAdr>',
    )
  })

  test.each([
    [{ batch_bookings: true }, 'Unrecognized key: "batch_bookings"'],
    [{ sepa: { service_level: 'sepa' } }, 'sepa.service_level: must be a code of ISO 20022'],
    [{ debtor_address: { country: 'NO' } }, 'debtor_address.town'],
  ])('are refused where they are wrong: %j', (fields, why) => {
    expect(() => readBankProfile(written(fields))).toThrow(why)
    expect(() => readSettings({ BANK_PROFILE: written(fields) })).toThrow('BANK_PROFILE')
  })
})

describe('the address of a merchant', () => {
  const profile = (addressLines: string[], postalCode: string | null, country: string | null) => ({
    jurisdiction: 'NO',
    profile: {
      ...{ addressLines, postalCode, country },
      ...{ description: null, phoneNumber: null, email: null, url: null },
    },
  })

  test.each([
    [profile(['Storgata 1', '0155 Oslo'], '0155', null), 'Oslo', ['Storgata 1'], 'NO'],
    [profile(['Storgata 1', 'NO-0155 Oslo'], '0155', 'no'), 'Oslo', ['Storgata 1'], 'NO'],
    [profile(['Storgata 1', 'Oslo'], '0155', null), 'Oslo', ['Storgata 1'], 'NO'],
    [profile(['London SW1A 1AA'], 'SW1A 1AA', 'GB'), 'London', [], 'GB'],
  ])('%j is in %s', (given, town, lines, country) => {
    expect(payoutAddress(given)).toMatchObject({ town, lines, country })
  })

  test.each([
    ['one line', profile(['Storgata 1'], '0155', null)],
    ['a last line with a number', profile(['Kafé', 'Storgata 1'], '0155', null)],
    ['none', profile([], null, null)],
    ['no country', { ...profile(['A', 'Oslo'], null, null), jurisdiction: null }],
  ])('is left out where its town is not known: %s', (_, given) => {
    expect(payoutAddress(given)).toBeUndefined()
  })

  test.each([
    [
      'hybrid',
      '<PstCd>0155</PstCd><TwnNm>Oslo</TwnNm><Ctry>NO</Ctry><AdrLine>Storgata 1</AdrLine>',
    ],
    ['structured', '<StrtNm>Storgata 1</StrtNm><PstCd>0155</PstCd><TwnNm>Oslo</TwnNm>'],
  ] as const)('is %s', (addresses, expected) => {
    const address = payoutAddress(profile(['Storgata 1', '0155 Oslo'], '0155', null))
    const one = { ...payout('NOK', norwegian), address }
    const how = { ...run, profile: { ...usualProfile, addresses } }
    expect(plain(payoutFile(debtor, [one], how))).toContain(expected)
  })
})

describe('a payment is asked for on a banking day', () => {
  let place: Place
  beforeAll(async () => {
    place = await openPlace()
  })
  afterAll(async () => {
    await place.stop()
    place.remove()
  })

  test.each([
    ['2026-11-28', 'NOK', '2026-11-30', 'a Saturday'],
    ['2027-03-25', 'NOK', '2027-03-30', 'Easter'],
    ['2027-05-17', 'NOK', '2027-05-18', 'the national day'],
    ['2034-05-01', 'EUR', '2034-05-02', 'Labour Day'],
    ['2026-12-24', 'EUR', '2026-12-28', 'Christmas'],
    ['2026-12-31', 'NOK', '2026-12-31', 'half a day'],
  ])('wanted on %s in %s, then on %s: %s', async (payoutDay, currency, expected) => {
    const isClosed = await bankRests(place.core.find, 'NO')
    const one = { ...payout(currency, norwegian), payoutDay }
    expect(payoutFile(debtor, [one], { ...run, isClosed })).toContain(`<Dt>${expected}</Dt>`)
  })

  test("by TARGET's rules for euro, and by the operator's own days", async () => {
    const { core } = place
    const isClosed = await bankRests(core.find, 'DK')
    const closedFor = (day: string) => ['DKK', 'EUR'].map((currency) => isClosed(day, currency))
    expect(closedFor('2030-05-01')).toEqual([false, true])
    expect(closedFor('2030-04-19')).toEqual([true, true])
    const data = { country: 'DK', closed: ['2030-06-04'], open: [] }
    await put(core, bankCalendars, 'DK', data, core.contextOf('operator'))
    expect((await bankRests(core.find, 'DK'))('2030-06-04', 'DKK')).toBe(true)
  })
})
