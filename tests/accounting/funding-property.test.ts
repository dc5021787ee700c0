import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { StatementEntry } from '../../application/match-bank-entries.ts'
import { payments } from '../../domain/aggregates.ts'
import type { PaymentCommand } from '../../domain/payment/payment-command.ts'
import { makeLog } from '../../infrastructure/logs/log.ts'
import { readSettings } from '../../infrastructure/settings.ts'
import { fundingOf } from '../../service/bank/funding.ts'
import { importBankFile } from '../../service/bank/import-uploaded.ts'
import { openCore, type Core } from '../../service/core.ts'
import { commands } from '../domain/payments.ts'

/** Each currency arrives on an account of its own; fees of euro follow from the rate. */
const accounts = { NOK: 'NO9386011117947', EUR: 'NO8330001234567' } as const

const rate = '0.0125'

type Currency = keyof typeof accounts

const folder = mkdtempSync(join(tmpdir(), 'daybook-funding-'))

let core: Core

let worlds = 0

beforeAll(async () => {
  const profile = join(folder, 'profile.json')
  const funding = {
    since: '2027-01-01',
    accounts: [
      { account: accounts.NOK, batch_prefix: 'DAY-' },
      { account: accounts.EUR, batch_prefix: 'DAY-', withholds: rate },
    ],
  }
  writeFileSync(profile, JSON.stringify({ funding }))
  const settings = { MODE: 'sandbox', DATA_DIR: join(folder, 'data'), BANK_PROFILE: profile }
  core = await openCore(readSettings(settings), makeLog('silent'))
})

afterAll(async () => {
  await core.close()
  rmSync(folder, { recursive: true })
})

/** What the funding source does about a capture or refund. */
const paid = fc.constantFrom(
  ...(['by_name', 'by_name_less_fee', 'by_name_twice', 'in_batch', 'missing', 'wrong'] as const),
)

const paymentOf = fc.record({
  currency: fc.constantFrom('NOK' as const, 'EUR' as const),
  captures: fc.array(
    fc.record({
      amount: fc.constantFrom(10_000, 20_001, 30_007, 4_003),
      /** Hours from the start of the world: days of Oslo end at 22 or 23 UTC. */
      after: fc.integer({ min: 0, max: 60 }),
      paid,
    }),
    { minLength: 1, maxLength: 3 },
  ),
  refund: fc.option(fc.record({ after: fc.integer({ min: 61, max: 95 }), paid })),
})

/** In which files a movement stands; the first may lack the bank's reference. */
const told = fc.record({
  kinds: fc.subarray(['camt.052', 'camt.053', 'camt.054'] as const, { minLength: 1 }),
  isNameless: fc.boolean(),
})

const world = fc.record({
  payments: fc.array(paymentOf, { minLength: 1, maxLength: 4 }),
  strangers: fc.array(fc.integer({ min: -9_000, max: 9_000 }), { maxLength: 2 }),
  told: fc.array(told, { minLength: 4, maxLength: 4 }),
  order: fc.array(fc.nat(), { minLength: 12, maxLength: 12 }),
})

type World = typeof world extends fc.Arbitrary<infer One> ? One : never

type Line = {
  readonly tid: string
  readonly day: string
  readonly gross: number
  readonly currency: Currency
  readonly paid: string
}

type Movement = {
  readonly name: string | null
  readonly currency: Currency
  readonly signed: number
  readonly withheld: number
  readonly day: string
}

const oslo = new Intl.DateTimeFormat('sv', { timeZone: 'Europe/Oslo', dateStyle: 'short' })

const hourOf = new Intl.DateTimeFormat('en', {
  timeZone: 'Europe/Oslo',
  hour: '2-digit',
  hourCycle: 'h23',
})

/** One at night of a Monday in Oslo: a day ends after as many hours in summer as in winter. */
const startOf = (week: number): number => {
  const monday = Date.UTC(2027, 0, 4) + week * 7 * 86_400_000
  return monday - (Number(hourOf.format(monday)) - 1) * 3_600_000
}

const send = (tid: string, at: number, command: PaymentCommand) => {
  const context = { ...core.contextOf('test', 'sandbox'), at }
  return core.handle(payments, tid, command, context)
}

/** Makes the payments from an hour on, and tells the lines. */
const makePayments = async (given: World, start: number, id: string): Promise<readonly Line[]> => {
  const lines: Line[] = []
  for (const [index, one] of given.payments.entries()) {
    const tid = `${id}p${index}`
    const { currency } = one
    const total = 100_000
    const about = { currency, amount: total, additionalAmount: 0, posTid: tid }
    await send(tid, start, commands.ask(about, {}, start))
    await send(tid, start, commands.accept({}, start))
    const line = (at: number, gross: number, how: string) =>
      lines.push({ tid, day: oslo.format(at), gross, currency, paid: how })
    // A name and an amount cannot say which of two equal captures is missing.
    const areNamed = one.captures.every(({ paid: how }) => how.startsWith('by_name'))
    for (const [number, { amount: base, after, paid: how }] of one.captures.entries()) {
      const amount = areNamed ? base : base + 10 * number
      const at = start + after * 3_600_000
      const wanted = { id: `c${number}`, currency, amount, additionalAmount: 0 }
      await send(tid, at, commands.capture(wanted, at))
      line(at, amount, how)
    }
    if (one.refund) {
      const at = start + one.refund.after * 3_600_000
      await send(tid, at, commands.refund({ id: 'r', currency, amount: 777, additionalAmount: 0 }))
      line(at, -777, one.refund.paid)
    }
  }
  return lines
}

const sumOf = (amounts: readonly number[]): number => amounts.reduce((sum, one) => sum + one, 0)

/** One eightieth, half to even. */
const feeOf = (captured: number): number => {
  const [whole, rest] = [Math.floor(captured / 80), captured % 80]
  return rest > 40 || (rest === 40 && whole % 2 === 1) ? whole + 1 : whole
}

/** What the bank books, and what is open after that, for each day and currency. */
const bookedFor = (lines: readonly Line[], strangers: readonly number[], id: string) => {
  const movements: Movement[] = []
  const open: Record<string, number> = {}
  const byName = lines.filter(({ paid: how }) => how.startsWith('by_name'))
  for (const { tid, day, gross, currency, paid: how } of byName) {
    const isLess = how === 'by_name_less_fee' && gross > 0
    const [withheld, fee] =
      currency === 'NOK' ? [isLess ? 99 : 0, 0] : [0, isLess ? feeOf(gross) : 0]
    const movement = { name: tid, currency, signed: gross - withheld - fee, withheld, day }
    movements.push(movement, ...(how === 'by_name_twice' ? [{ ...movement }] : []))
  }
  for (const { tid, day, gross, currency } of lines.filter((one) => one.paid === 'wrong'))
    movements.push({ name: tid, currency, signed: gross + 1, withheld: 0, day })
  const others = lines.filter((one) => !byName.includes(one))
  for (const key of new Set(lines.map(({ day, currency }) => `${day}-${currency}`))) {
    const [day, currency] = [key.slice(0, 10), key.slice(11) as Currency]
    const rest = others.filter((one) => one.day === day && one.currency === currency)
    const batch = rest.filter((one) => one.paid === 'in_batch').map(({ gross }) => gross)
    const captured = sumOf(rest.map(({ gross }) => Math.max(0, gross)))
    const hasBatch = sumOf(batch) !== 0
    const fee = hasBatch && currency === 'EUR' ? feeOf(captured) : 0
    const withheld = hasBatch && currency === 'NOK' ? 55 : 0
    open[key] = sumOf(rest.map(({ gross }) => gross)) - (hasBatch ? sumOf(batch) : 0)
    if (!hasBatch) continue
    const name = `DAY-${day.replaceAll('-', '')}-${id}`
    movements.push({ name, currency, signed: sumOf(batch) - fee - withheld, withheld, day })
  }
  for (const [index, signed] of strangers.filter((one) => one !== 0).entries()) {
    const name = index === 0 ? null : `stranger-${id}`
    movements.push({ name, currency: 'NOK', signed, withheld: 0, day: lines[0]?.day ?? '' })
  }
  return { movements: movements.filter(({ signed }) => signed !== 0), open }
}

const hashOf = (...parts: readonly unknown[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32)

const entriesOf = (given: World, movements: readonly Movement[], id: string) =>
  movements.flatMap((movement, index) => {
    const { name, currency, signed, withheld, day } = movement
    const { kinds, isNameless } = given.told[index % given.told.length] ?? { kinds: ['camt.053'] }
    return kinds.map((kind, place): StatementEntry => {
      // Nor without the bank's reference whether two files tell one or two movements.
      const isTwin = movements.some((one) => one !== movement && one.name === name)
      const lacks = isNameless && place === 0 && name !== null && !isTwin
      const reference = lacks ? null : `ref-${id}-${index}`
      const about = { account: accounts[currency], currency, day }
      return {
        ...{ ...about, id: hashOf(id, index, reference ?? kind), endToEndId: name },
        ...{ messageId: null, reference, source: { kind, id: `${kind}-${id}` } },
        side: signed < 0 ? 'debit' : 'credit',
        amount: String(Math.abs(signed)),
        ...{ reason: { code: null, text: null } },
        // A report of the day under way may lack what a later file tells.
        ...(withheld > 0 && !(lacks && kinds.length > 1) && { withheld: String(withheld) }),
      }
    })
  })

const load = (entries: readonly StatementEntry[]) =>
  importBankFile(core, (merchant) => core.contextOf('test', merchant))({ entries, rejections: [] })

/** What the books say of the days of a world. */
const endOf = async (lines: readonly Line[], ids: ReadonlySet<string>) => {
  const { book } = await fundingOf(core)
  const keys = [...new Set(lines.map(({ day }) => day))].sort()
  const last = new Date(Date.parse(`${keys.at(-1)}T00:00:00Z`) + 86_400_000)
  const days = book.days(last.toISOString().slice(0, 10), 8).filter(({ day }) => keys.includes(day))
  const unexpected = core.accounting.funding
    .openReceipts()
    .filter(({ id }) => ids.has(id))
    .map(({ rest }) => Number(rest))
    .sort()
  return { days, unexpected }
}

/** What the journal has to hold, of all worlds so far. */
const held = new Map<string, number>()

const hold = (account: string, currency: Currency, amount: number): void => {
  const key = `${account} ${currency}`
  held.set(key, (held.get(key) ?? 0) + amount)
}

/** What is explained of its days is fees: nobody closes anything, and nothing is disputed. */
const holdWorld = (
  lines: readonly Line[],
  booked: ReturnType<typeof bookedFor>,
  { days }: Awaited<ReturnType<typeof endOf>>,
): void => {
  for (const currency of ['NOK', 'EUR'] as const) {
    const of = (all: readonly { readonly currency: Currency }[]) =>
      all.filter((one) => one.currency === currency)
    const bank = sumOf((of(booked.movements) as Movement[]).map(({ signed }) => signed))
    const gross = sumOf((of(lines) as Line[]).map((line) => line.gross))
    const open = Object.entries(booked.open).filter(([key]) => key.endsWith(currency))
    const clearing = sumOf(open.map(([, sum]) => sum))
    const explained = days.filter((day) => day.currency === currency)
    const fees = sumOf(explained.map((day) => Number(day.explained)))
    hold('bank', currency, bank)
    hold('funding_fees', currency, fees)
    hold('payer_clearing', currency, clearing)
    hold('unexplained', currency, gross - clearing - bank - fees)
  }
}

const journalHolds = () => {
  const trial = core.accounting.journal.trialBalance()
  expect(trial.map(({ imbalance }) => imbalance).filter((sum) => sum !== '0')).toEqual([])
  for (const [key, amount] of held) {
    const [account = '', currency] = key.split(' ')
    const found = trial.find((one) => one.currency === currency)?.balances[account] ?? '0'
    expect([key, Number(found)]).toEqual([key, amount])
  }
}

const shuffled = <Item>(items: readonly Item[], by: readonly number[]): Item[] =>
  items
    .map((item, index) => [by[index % by.length] ?? 0, item] as const)
    .sort(([one], [other]) => one - other)
    .map(([, item]) => item)

test(
  'expected money is received, explained or open, for every order of files',
  { tags: 'long', timeout: 120_000 },
  async () => {
    await fc.assert(
      fc.asyncProperty(world, async (given) => {
        const ends: unknown[] = []
        // The same world twice, in weeks of their own: in order, and shuffled with repeats.
        for (const isShuffled of [false, true]) {
          const number = (worlds += 1)
          const id = `w${number}x`
          const start = startOf(number)
          const lines = await makePayments(given, start, id)
          await core.readModels.caughtUp()
          const booking = bookedFor(lines, given.strangers, id)
          const { movements, open } = booking
          const entries = entriesOf(given, movements, id)
          const files = isShuffled
            ? shuffled([...entries, ...entries], given.order).map((one) => [one])
            : [entries, entries]
          for (const file of files) await load(file)
          await core.readModels.caughtUp()
          const end = await endOf(lines, new Set(entries.map((one) => one.id)))
          holdWorld(lines, booking, end)
          journalHolds()
          for (const day of end.days) {
            const { captured, refunded, expected, received, explained } = day
            const own = lines.filter((one) => `${one.day}-${one.currency}` === day.key)
            expect(Number(captured) + Number(refunded)).toBe(sumOf(own.map(({ gross }) => gross)))
            expect(Number(expected)).toBe(Number(received) + Number(explained) + Number(day.open))
            expect([day.key, Number(day.open)]).toEqual([day.key, open[day.key]])
          }
          const booked = sumOf(movements.map(({ signed }) => signed))
          const received = sumOf(end.days.map((day) => Number(day.received)))
          expect(received + sumOf(end.unexpected)).toBe(booked)
          ends.push({
            unexpected: end.unexpected,
            days: end.days.map(({ key: _, day: __, isDue: ___, ...sums }) => sums),
          })
        }
        expect(ends[1]).toEqual(ends[0])
      }),
      { numRuns: 12, endOnFailure: true },
    )
  },
)
