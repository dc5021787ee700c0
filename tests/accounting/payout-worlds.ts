// Any operator with payouts of many merchants, as fast-check makes them.
import fc from 'fast-check'
import { usualProfile, type BankProfile } from '../../infrastructure/bank/bank-profile.ts'
import { payoutFile, type OrderedPayout } from '../../infrastructure/bank/payout-file.ts'

const script = (from: number, to: number) =>
  fc.integer({ min: from, max: to }).map((point) => String.fromCodePoint(point))

/** Letters of many scripts, marks, digits, emoji, and what XML or banks refuse. */
const letter = fc.oneof(
  { weight: 4, arbitrary: script(0x20, 0x7e) },
  ...[
    [0xa1, 0x17f],
    [0x370, 0x3ff],
    [0x400, 0x4ff],
    [0x5d0, 0x5ea],
    [0x620, 0x64a],
    [0x904, 0x939],
    [0xe01, 0xe3a],
    [0x3041, 0x30ff],
    [0x4e00, 0x9fff],
    [0xac00, 0xd7a3],
    [0x1f300, 0x1f6ff],
  ].map(([from = 0, to = 0]) => script(from, to)),
  fc.constantFrom('\0', '\n', '\uD800', '\uFFFE', '&', '<', ']]>', '//', '\u200b'),
)
export const anyName = fc.string({ unit: letter, minLength: 1, maxLength: 200, size: 'max' })

/** Sums may be larger than one amount: up to nine billion. */
const minor = fc.oneof(
  fc.constantFrom(1n, 99n, 99_999_999_999n, 100_000_000_000n, 99_999_999_999_999n),
  fc.bigInt({ min: 1n, max: 900_719_925_474_099n }),
)

const ibans = ['NO9386011117947', 'DE89370400440532013000', 'FI2112345600000785']
const beyondSepa = ['AE070331234567890123456']
const numbers = ['86011117947', '1234-5678', 'SKAT123']

const address = fc.record({
  lines: fc.array(anyName, { maxLength: 2 }),
  postCode: fc.option(fc.constantFrom('0150', 'SW1A 1AA')),
  town: anyName,
  country: fc.constantFrom('NO', 'DE'),
})

const payout = fc
  .record({
    merchant: fc.stringMatching(/^[a-z]{1,20}$/),
    businessName: anyName,
    settlementId: fc
      .tuple(fc.stringMatching(/^[A-Z0-9]{6}$/), fc.integer({ min: 1, max: 9_999_999 }))
      .map(([series, serial]) => `${series}-2026-11-26-${serial}`),
    attempt: fc.constantFrom('', '-2', '-99'),
    currency: fc.constantFrom('NOK', 'EUR'),
    amount: minor.map(String),
    payoutAccount: fc.constantFrom(...ibans, ...beyondSepa, ...numbers),
    payoutDay: fc.constantFrom('2026-11-25', '2026-11-27', '2026-12-25', '2027-01-01'),
    address: fc.option(address, { nil: undefined }),
  })
  .map(({ attempt, ...one }): OrderedPayout => {
    const endToEndId = `${one.settlementId}-${one.currency}${attempt}`
    return { ...one, endToEndId }
  })

const code = fc.option(fc.stringMatching(/^[A-Z]{4}$/))
const profile: fc.Arbitrary<BankProfile> = fc.record({
  funding: fc.constant(null),
  sepa: fc.record({
    service_level: fc.constantFrom('SEPA', null),
    ...{ local_instrument: code, category_purpose: code, purpose: code },
    charge_bearer: fc.constantFrom('SLEV' as const, null),
  }),
  other: fc.record({
    ...{ service_level: code, local_instrument: code, category_purpose: code, purpose: code },
    charge_bearer: fc.constantFrom('SHAR' as const, 'DEBT' as const, null),
  }),
  batch_booking: fc.constantFrom(true, false, null),
  addresses: fc.constantFrom('hybrid' as const, 'structured' as const, 'none' as const),
  debtor_address: fc.constantFrom(null, {
    ...{ street: 'Bryggen', building: '1', post_code: '5003', town: 'Bergen', country: 'NO' },
  }),
  initiator: fc.constantFrom(null, { id: '00998877', scheme: 'CUST' }),
})

const debtor = fc.record({
  name: anyName,
  account: fc.constantFrom(...ibans, ...numbers),
  bic: fc.constantFrom(null, 'DNBANOKK', 'DNBANOKKXXX'),
})

const run = fc.record({
  messageId: fc.stringMatching(/^DAYBOOK-[0-9A-F]{16}$/),
  at: fc.integer({ min: Date.UTC(2026, 10, 20), max: Date.UTC(2027, 0, 4) }),
  timeZone: fc.constantFrom('UTC', 'Europe/Oslo'),
  profile: fc.option(profile, { nil: usualProfile }),
})

/** A file of euro between accounts of SEPA, as the European Payments Council limits it. */
export const sepaOnly = (one: OrderedPayout): OrderedPayout => ({
  ...one,
  ...{ currency: 'EUR', endToEndId: one.endToEndId.replace('NOK', 'EUR') },
  amount: String(BigInt(one.amount) % 99_999_999_999n || 1n),
  payoutAccount: ibans.includes(one.payoutAccount) ? one.payoutAccount : 'NO9386011117947',
})

export const payoutWorld = fc
  .record({ debtor, run, payouts: fc.array(payout, { minLength: 1, maxLength: 30 }) })
  .map((world) => ({ ...world, file: payoutFile(world.debtor, world.payouts, world.run) }))

export const sepaWorld = fc
  .record({ debtor, run, payouts: fc.array(payout, { minLength: 1, maxLength: 30 }) })
  .map(({ debtor: by, payouts, run: how }) => {
    const own = { ...by, account: 'FI2112345600000785' }
    const all = payouts.map(sepaOnly)
    return { debtor: own, run: how, payouts: all, file: payoutFile(own, all, how) }
  })
