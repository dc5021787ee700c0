// @module-tag long
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { operatorHere } from '../../harness/operator.ts'
import type { TestVisitor } from '../people/visitor.ts'
import { confirmAt, startPaymentDesk, type PaymentDesk } from './payment-desk.ts'

const daySeconds = 86_400

let desk: PaymentDesk

beforeAll(async () => {
  desk = await startPaymentDesk()
  await desk.bobIs('owner')
})
afterAll(() => desk.service.stop())

const pass = async (days: number): Promise<void> => {
  await desk.service.advance(days * daySeconds)
  await desk.bob.signIn('bob')
  await desk.alice.signIn('alice')
}

/** Earlier refunds are older than 24 hours. */
beforeEach(() => pass(1))

const formOf = (tid: string, amount: number, visitor: TestVisitor = desk.bob) =>
  visitor.visit(`/portal/sandbox/payments/${tid}/refund?amount=${amount}`)

const refund = async (tid: string, amount: number, values: Record<string, string> = {}) =>
  (await confirmAt(desk.bob, await formOf(tid, amount), values)).status

const refundsOf = async (tid: string): Promise<number> =>
  (await desk.happenedTo(tid)).filter(([type]) => type === 'PaymentRefunded').length

test('two refunds of a payment, each below the amount, need a code together', async () => {
  const tid = await desk.captured({ amount: '900.00' })
  expect(await refund(tid, 300)).toBe(303)
  expect((await formOf(tid, 300)).html).toContain('need a code')
  expect(await refund(tid, 300)).toBe(400)
  expect(await refund(tid, 200)).toBe(303)
  expect(await refund(tid, 300, { code: desk.codeOf('bob') })).toBe(303)
  expect(await refundsOf(tid)).toBe(3)
})

/** Whether it can be shown who ordered each refund of a payment. */
const proofsOf = async (tid: string) => {
  const proofOf = operatorHere(desk.service.core.settings)
  const refunds = (await desk.service.events()).filter(
    ({ stream, type }) => stream.endsWith(tid) && type === 'PaymentRefunded',
  )
  const proofs = []
  for (const { position } of refunds)
    proofs.push(
      JSON.parse((await proofOf('--json', 'audit', 'proof-of-order', `${position}`)).output),
    )
  return proofs
}

test('an auditor reads that a refund of the portal is not signed, and of its code', async () => {
  const tid = await desk.captured({ amount: '900.00' })
  await refund(tid, 100)
  await refund(tid, 600, { code: desk.codeOf('bob') })
  const verdict = /^not signed: ordered in the portal by staff:[\w-]+/
  const [without, withCode] = await proofsOf(tid)
  expect(without).toMatchObject({ holds: false, verdict: expect.stringMatching(verdict) })
  expect(without.verdict).not.toContain('code')
  expect(without.checks).toMatchObject([{ holds: null }])
  expect(withCode.verdict).toMatch(/, with a one-time code at 20/)
  expect(withCode.checks).toMatchObject([{ holds: true }])
})

test('refunds of several payments by one person within 24 hours count together', async () => {
  const [one, other, third] = [await desk.captured(), await desk.captured(), await desk.captured()]
  const large = await desk.captured({ amount: '400.00' })
  expect(await refund(large, 400)).toBe(303)
  expect(await refund(one, 100)).toBe(303)
  expect(await refund(other, 100)).toBe(400)
  // Another person's refunds are counted separately.
  expect((await formOf(other, 100, desk.alice)).html).not.toContain('need a code')
  await pass(1)
  expect(await refund(third, 100)).toBe(303)
})

test('of refunds that are sent at once, none goes beyond the amount without a code', async () => {
  const tids = await Promise.all(
    Array.from({ length: 3 }, () => desk.captured({ amount: '300.00' })),
  )
  const forms = await Promise.all(tids.map((tid) => formOf(tid, 300)))
  const sent = await Promise.all(forms.map((form) => confirmAt(desk.bob, form)))
  expect(sent.map(({ status }) => status).sort()).toEqual([303, 400, 400])
})

test('of two tabs, or people, that refund parts of a payment at once, one is refused', async () => {
  const tid = await desk.captured({ amount: '900.00' })
  const forms = await Promise.all([
    formOf(tid, 300),
    formOf(tid, 290),
    formOf(tid, 280, desk.alice),
  ])
  const [one, two, three] = forms as [(typeof forms)[0], (typeof forms)[0], (typeof forms)[0]]
  const sent = await Promise.all([
    confirmAt(desk.bob, one),
    confirmAt(desk.bob, two),
    confirmAt(desk.alice, three),
  ])
  expect(sent.map(({ status }) => status).sort()).toEqual([303, 409, 409])
})

test('what a payment had refunded long ago still counts for it', async () => {
  const tid = await desk.captured({ amount: '900.00' })
  expect(await refund(tid, 400)).toBe(303)
  await pass(2)
  expect(await refund(tid, 400)).toBe(400)
})
