// @module-tag long
import { createPrivateKey } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { merchantClient } from '../../harness/merchant-client.ts'
import { startPaymentDesk, type PaymentDesk } from './payment-desk.ts'

let desk: PaymentDesk

beforeAll(async () => {
  desk = await startPaymentDesk()
})
afterAll(() => desk.service.stop())

const text = (minor: number): string => (minor / 100).toFixed(2)

/** In minor units. */
const minorIn = (shown = '0'): number => Math.round(Number(shown.replaceAll(/[^\d.]/g, '')) * 100)

type History = {
  readonly amount: number
  readonly tip: number
  readonly isAccepted: boolean
  /** Percent of what is left each time. */
  readonly captures: readonly number[]
  readonly isReleased: boolean
  readonly refunds: readonly number[]
}

const percents = fc.array(fc.constantFrom(30, 50, 100), { maxLength: 2 })

const history: fc.Arbitrary<History> = fc.record({
  amount: fc.integer({ min: 100, max: 200_000 }),
  tip: fc.constantFrom(0, 0, 1_500),
  isAccepted: fc.boolean(),
  captures: percents,
  isReleased: fc.boolean(),
  refunds: percents,
})

/** Amounts of a payment, counted from what was done. */
type Sums = Record<'asked' | 'reserved' | 'captured' | 'refunded', number>

const admin = () => {
  const key = createPrivateKey(readFileSync(join(desk.service.folder, 'sandbox-admin-key.pem')))
  return merchantClient(desk.service.address, { merchant: 'sandbox', user: 'admin', key })
}

const shareOf = (left: number, percent: number): number => Math.ceil((left * percent) / 100)

const live = async (of: History): Promise<readonly [tid: string, sums: Sums]> => {
  const { amount, tip } = of
  const fields = { amount: text(amount), additional_amount: text(tip) }
  const tid = await (of.isAccepted ? desk.accepted(fields) : desk.request(fields))
  const change = async (body: object) => {
    const path = `/merchant/v1/payment_request/${tid}/`
    expect(await admin()('PUT', path, body)).toMatchObject({ status: 204 })
  }
  let [left, captured, refunded] = [of.isAccepted ? amount : 0, 0, 0]
  for (const [index, percent] of of.captures.entries()) {
    const taken = shareOf(left, percent)
    if (taken === 0) continue
    const tips = index === 0 ? tip : 0
    const pots = { amount: text(taken), additional_amount: text(tips) }
    await change({ action: 'capture', capture_id: `${index}`, currency: 'NOK', ...pots })
    left -= taken
    captured += taken + tips
  }
  const tipLeft = of.isAccepted && captured === 0 ? tip : 0
  const isReleased = of.isReleased && left + tipLeft > 0
  if (isReleased) await change({ action: 'release' })
  for (const [index, percent] of of.refunds.entries()) {
    const taken = shareOf(Math.min(captured - refunded, captured - tip), percent / 2)
    if (taken <= 0 || refunded + taken > captured - tip) continue
    const about = { action: 'refund', refund_id: `${index}`, currency: 'NOK', text: 'Sorry' }
    await change({ ...about, amount: text(taken) })
    refunded += taken
  }
  const reserved = isReleased ? 0 : left + tipLeft
  return [tid, { asked: amount + tip, reserved, captured, refunded }]
}

/** The amounts that a list shows, each by its name. */
const listed = async (): Promise<ReadonlyMap<string, readonly string[]>> => {
  const rows = new Map<string, readonly string[]>()
  for (let search = ''; ;) {
    const { html } = await desk.listOf(search)
    for (const [, tid = '', main = '', rest = ''] of html.matchAll(
      /<td class="sum"[^>]*><a href="[^"]*\/([^"/]*)">([^<]*)<\/a>(.*?)<\/td>/g,
    )) {
      const [first, ...others] = [...rest.matchAll(/<small>([^<]*)</g)].map(([, one = '']) => one)
      const isNamed = first === 'reserved' || first === 'requested'
      const beside = isNamed ? others : [first, ...others]
      const named = [`${minorIn(main)} ${isNamed ? first : 'paid'}`]
      for (const one of beside)
        if (one !== undefined) named.push(`${minorIn(one)} ${one.split(' ').at(-1)}`)
      rows.set(tid, named)
    }
    const older = /<p class="older"><a[^>]*href="[^"?]*(\?[^"]*)"/.exec(html)?.[1]
    if (older === undefined) return rows
    search = older.replaceAll('&amp;', '&')
  }
}

const expectedIn = ({ asked, reserved, captured, refunded }: Sums): readonly string[] => {
  if (captured === 0) return [reserved > 0 ? `${reserved} reserved` : `${asked} requested`]
  const beside = [
    [refunded, 'refunded'],
    [reserved, 'reserved'],
    [captured + reserved < asked ? asked : 0, 'requested'],
  ] as const
  const others = beside.filter(([minor]) => minor > 0).map(([minor, name]) => `${minor} ${name}`)
  return [`${captured} paid`, ...others]
}

test('lists, the file and the cards tell the same of any payments', async () => {
  const known = new Map<string, Sums>()
  const property = fc.asyncProperty(
    fc.array(history, { minLength: 8, maxLength: 24 }),
    async (histories) => {
      for (const one of histories) known.set(...(await live(one)))
      const rows = await listed()
      const { html: file } = await desk.alice.visit('/portal/sandbox/payments.csv')
      const [head = '', ...lines] = file.trim().split('\r\n')
      const column = (line: string, name: string) =>
        line.split(',')[head.split(',').indexOf(name)] ?? ''
      expect(lines).toHaveLength(known.size)
      for (const line of lines) {
        const minor = (name: string) => minorIn(column(line, name))
        const tid = column(line, 'tid')
        const sums = known.get(tid)
        expect(sums).toEqual({
          asked: minor('amount') + minor('additional_amount'),
          reserved: minor('reserved'),
          captured: minor('captured'),
          refunded: minor('refunded'),
        })
        expect([tid, rows.get(tid)]).toEqual([tid, sums && expectedIn(sums)])
      }
      const all = [...known.values()]
      const sum = (name: keyof Sums) => all.reduce((total, sums) => total + sums[name], 0)
      const { html } = await desk.alice.visit('/portal/sandbox/')
      const [lead = ''] = /<dl class="card lead-figures">.*?<\/dl>/.exec(html) ?? []
      const told = lead.replaceAll(/<[^>]*>/g, ' ').replaceAll(/[\s\u00a0]+/g, ' ')
      const paid = all.filter(({ captured }) => captured > 0).length
      const figure = (name: string) => minorIn(new RegExp(`${name} NOK ([\\d,.]+)`).exec(told)?.[1])
      expect([figure('Turnover'), figure('Refunds')]).toEqual([sum('captured'), sum('refunded')])
      expect(told).toContain(` Payments paid ${paid} `)
      expect(told).toContain(` paid of ${known.size} requested `)
    },
  )
  await fc.assert(property, { numRuns: 3, endOnFailure: true })
}, 60_000)
