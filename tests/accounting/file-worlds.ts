// Checks of the files of many worlds: the schemas, and every sum.
import fc from 'fast-check'
import { expect } from 'vitest'
import { postingsOfEvent } from '../../domain/accounting/journal.ts'
import { readBankFile } from '../../infrastructure/bank/bank-file.ts'
import { camtWorld, own, type Told } from './camt-worlds.ts'
import { payoutWorld, sepaWorld } from './payout-worlds.ts'
import { problemsOfSaft } from '../audit/saf-t-structure.ts'
import { saftNumber } from '../../audit/export/journal-entries.ts'
import { reportWorld } from './report-worlds.ts'
import { booksOf, saftWorld } from './saft-worlds.ts'
import type { validator } from './schemas.ts'

type Validate = ReturnType<typeof validator>

const worlds = <World>(of: fc.Arbitrary<World>, count: number) =>
  fc.array(of, { minLength: count, maxLength: count, size: 'max' })

type Drawn = { readonly failed: boolean; readonly seed: number; readonly errorInstance: unknown }

/** Each world is drawn once. Worlds are too long to be printed: their seed draws them again. */
const once = {
  ...{ numRuns: 1, endOnFailure: true },
  reporter: ({ failed, seed, errorInstance }: Drawn): void => {
    if (failed) throw new Error(`with the seed ${seed}`, { cause: errorInstance })
  },
}

/** Minor units by currency, as the transfers of a file have them. */
const sumsIn = (file: string): Record<string, bigint> => {
  const sums: Record<string, bigint> = {}
  for (const [, currency = '', text = ''] of file.matchAll(
    /<InstdAmt Ccy="(\w+)">([^<]*)<\/InstdAmt>/g,
  ))
    sums[currency] = (sums[currency] ?? 0n) + BigInt(text.replace('.', ''))
  return sums
}

/** What the journal holds in clearing once the payouts are ordered. */
const clearedBy = (
  payouts: readonly { readonly currency: string; readonly amount: string }[],
): Record<string, bigint> => {
  const sums: Record<string, bigint> = {}
  for (const { currency, amount } of payouts) {
    const about = { serial: 1, messageId: 'm', payoutAccount: 'a', payoutDay: '2026-11-27' }
    const data = { ...about, paid: [{ currency, amount }], heldIn: 'payout_clearing' as const }
    for (const one of postingsOfEvent('shop', { type: 'PayoutOrdered', data }))
      if (one.account === 'payout_clearing')
        sums[currency] = (sums[currency] ?? 0n) - BigInt(one.amount)
  }
  return sums
}

const idsIn = (file: string, name: string) =>
  [...file.matchAll(new RegExp(`<${name}>([^<]*)</${name}>`, 'g'))].map(([, id]) => id)

export const checkPayoutWorlds = (validate: Validate, count: number): void =>
  fc.assert(
    fc.property(worlds(payoutWorld, count), worlds(sepaWorld, count), (some, ofSepa) => {
      const all = [...some, ...ofSepa]
      expect(
        validate(
          'pain001',
          all.map(({ file }) => file),
        ),
      ).toEqual([])
      expect(
        validate(
          'sepa',
          ofSepa.map(({ file }) => file),
        ),
      ).toEqual([])
      for (const { file, payouts } of all) {
        expect(sumsIn(file)).toEqual(clearedBy(payouts))
        const ids = payouts.map(({ endToEndId }) => endToEndId).toSorted()
        expect(idsIn(file, 'EndToEndId').toSorted()).toEqual(ids)
      }
    }),
    once,
  )

const entriesIn = (files: readonly string[]) =>
  files.flatMap((file) => readBankFile(Buffer.from(file), 'file.xml', own).entries)

const toldBy = (entries: ReturnType<typeof entriesIn>): Told[] =>
  entries.map(({ side, amount, currency, endToEndId, messageId, paymentId, reason }) => ({
    ...{ side, amount, currency, endToEndId, messageId },
    ...{ paymentId: paymentId ?? null, code: reason.code },
  }))

/** With the names in one order. */
const shape = ({ side, amount, currency, endToEndId, messageId, paymentId, code }: Told): Told => ({
  ...{ side, amount, currency, endToEndId, messageId, paymentId, code },
})

const sorted = (told: readonly Told[]): string[] =>
  told.map((one) => JSON.stringify(one)).toSorted()

/** Movements are what the world says, each once, however often a file is read. */
export const checkCamtWorlds = (validate: Validate | undefined, count: number): void =>
  fc.assert(
    fc.property(worlds(camtWorld, count), (all) => {
      for (const [kind, schema] of [
        ['053', 'camt053'],
        ['054', 'camt054'],
      ] as const) {
        const some = all.filter(({ format }) => format.kind === kind && format.version === 8)
        expect(
          validate?.(
            schema,
            some.flatMap(({ files }) => files),
          ) ?? [],
        ).toEqual([])
      }
      for (const { files, told } of all) {
        const entries = entriesIn(files)
        expect(sorted(toldBy(entries))).toEqual(sorted(told.map(shape)))
        expect(new Set(entries.map(({ id }) => id)).size).toBe(told.length)
        expect(entriesIn(files)).toEqual(entries)
      }
    }),
    once,
  )

type Rejections = ReturnType<typeof readBankFile>['rejections']

type Order = { readonly endToEndId: string; readonly paymentId: string }

const refuses = (rejections: Rejections, { endToEndId, paymentId }: Order): boolean =>
  rejections.some((one) => {
    if (one.endToEndId !== null) return one.endToEndId === endToEndId
    const isWithin = one.paymentId === null || one.paymentId === paymentId
    return isWithin && !one.except.includes(endToEndId) && !one.except.includes(paymentId)
  })

/** An order is refused where the most particular status says so. */
export const checkReportWorlds = (validate: Validate | undefined, count: number): void =>
  fc.assert(
    fc.property(worlds(reportWorld, count), (all) => {
      const files = all.map(({ file }) => file)
      expect(validate?.('pain002', files) ?? []).toEqual([])
      for (const { file, orders } of all) {
        const { rejections } = readBankFile(Buffer.from(file), 'file.xml', own)
        for (const { isRefused, ...order } of orders)
          expect([order, refuses(rejections, order)]).toEqual([order, isRefused])
      }
    }),
    once,
  )

/** In minor units of the file's currency. */
const minorIn = (text: string, decimals: number): bigint => {
  const [whole = '', part = ''] = text.split('.')
  return BigInt(whole + part.padEnd(decimals, '0').slice(0, decimals))
}

type Books = ReturnType<typeof booksOf>[number]

/** Both sums of a file, and the balance of each of its accounts. */
const sumsOfSaft = ({ file, decimals }: Books) => {
  const sum = (text: string | undefined) => minorIn(text ?? '0', decimals)
  const [, debit, credit] =
    /<TotalDebit>(.*?)<\/TotalDebit>\s*<TotalCredit>(.*?)<\/TotalCredit>/.exec(file) ?? []
  const held = [...file.matchAll(/<Account>(.*?)<\/Account>/gs)].map(([, account = '']) => {
    const [, side, amount] = /<Closing(Debit|Credit)Balance>([^<]*)</.exec(account) ?? []
    const [, id = ''] = /<AccountID>([^<]*)</.exec(account) ?? []
    return [id, side === 'Credit' ? -sum(amount) : sum(amount)] as const
  })
  return { debit: sum(debit), credit: sum(credit), held: new Map(held) }
}

/** SAF-T of any books: valid, and equal to the journal to the last minor unit. */
export const checkSaftWorlds = (validate: Validate | undefined, count: number): void =>
  fc.assert(
    fc.property(worlds(saftWorld, count), (all) => {
      const books = all.flatMap(booksOf)
      expect(
        validate?.(
          'saft',
          books.map(({ file }) => file),
        ) ?? [],
      ).toEqual([])
      for (const one of books) {
        const { debit, credit, held } = sumsOfSaft(one)
        const debits = one.moved.flat().map(({ amount }) => BigInt(amount))
        expect(debit).toBe(debits.reduce((sum, amount) => sum + (amount > 0n ? amount : 0n), 0n))
        expect(credit).toBe(debit)
        for (const balance of one.closing)
          expect([saftNumber(balance), held.get(saftNumber(balance))]).toEqual([
            saftNumber(balance),
            BigInt(balance.balance),
          ])
        expect(held.size).toBe(one.closing.length)
        // Its tolerance for taxes is of two decimals.
        if (one.decimals === 2) expect(problemsOfSaft(one.file)).toEqual([])
      }
    }),
    once,
  )
