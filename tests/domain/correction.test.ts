import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  correction,
  type CorrectionCommand,
  type CorrectionEvent,
} from '../../domain/accounting/correction.ts'
import { noFees } from '../../domain/accounting/fees.ts'
import { settlement } from '../../domain/accounting/settlement.ts'
import { fold } from '../../domain/decider.ts'
import { ignoreRefusal } from '../../domain/refusal.ts'
import { examplesOf } from './given.ts'

const given = examplesOf(correction)

const proposal = {
  ...{ merchant: 'a', ledger: 'default', currency: 'NOK', amount: -1250, reason: 'mistake' },
  by: 'operator:a',
}
const proposed = { type: 'CorrectionProposed', data: proposal } as const
const propose = { type: 'ProposeCorrection', proposal } as const
const approve = (by: string) => ({ type: 'ApproveCorrection', by, terms: noFees }) as const
const turnDown = (by: string) => ({ type: 'TurnDownCorrection', by }) as const

const charge = { fee: 0, interchange: 0, vat: 0, taxcode: 'NO:2013' }
const about = { by: 'operator:b', currency: 'NOK', amount: -1250 }

describe('a correction', () => {
  test('is proposed once', () => {
    given().when(propose).then(proposed)
    given(proposed).when(propose).thenNothing()
    given(proposed)
      .when({ ...propose, proposal: { ...proposal, amount: 1250 } })
      .thenRefused('id_used_with_other_data')
  })

  test.each([
    [0, {}],
    [-1250, { isWriteOff: true }],
  ] as const)('of %i, written off or not, is nothing', (amount, more) => {
    given()
      .when({ ...propose, proposal: { ...proposal, ...more, amount } })
      .thenRefused('correction_is_nothing')
  })

  test('is approved by another person than who proposed it', () => {
    given(proposed).when(approve('operator:a')).thenRefused('second_person_is_needed')
    const approved = { type: 'CorrectionApproved', data: { ...about, charge } } as const
    given(proposed).when(approve('operator:b')).then(approved)
    given(proposed, approved).when(approve('operator:c')).thenNothing()
    given(proposed, approved).when(turnDown('operator:c')).thenRefused('correction_is_decided')
  })

  test('that is a write-off has no charge, so it becomes no line', () => {
    const data = { ...proposal, amount: 1250, isWriteOff: true } as const
    given({ type: 'CorrectionProposed', data })
      .when(approve('operator:b'))
      .then({ type: 'CorrectionApproved', data: { ...about, amount: 1250 } })
  })

  test('is turned down by anybody, and then approved by nobody', () => {
    const down = { type: 'CorrectionTurnedDown', data: { by: 'operator:a' } } as const
    given(proposed).when(turnDown('operator:a')).then(down)
    given(proposed, down).when(approve('operator:b')).thenRefused('correction_is_decided')
    given().when(approve('operator:b')).thenRefused('resource_is_unknown')
  })

  test('is approved at most once, by another person, and never after it was turned down', () => {
    const people = fc.constantFrom('a', 'b', 'c')
    const commands = fc.oneof(
      people.map((by): CorrectionCommand => ({ ...propose, proposal: { ...proposal, by } })),
      people.map(approve),
      people.map(turnDown),
    )
    fc.assert(
      fc.property(fc.array(commands, { maxLength: 12 }), (given) => {
        const events: CorrectionEvent[] = []
        for (const command of given)
          try {
            events.push(...correction.decide(command, fold(correction, events)))
          } catch (error) {
            ignoreRefusal(error)
          }
        const [first, second, ...more] = events
        expect(more).toEqual([])
        if (second?.type !== 'CorrectionApproved') return
        expect(first).toMatchObject({ type: 'CorrectionProposed' })
        expect(second.data.by).not.toBe((first?.data as typeof proposal).by)
      }),
    )
  })
})

describe('a write-off', () => {
  const payout = {
    ...{ currency: 'NOK', gross: '-5000', net: '-6500', payout: '0', billed: '0' },
    ...{ unsettledFeesBefore: '0', unsettledFeesAfter: '-1500' },
    ...{ unsettledRefundsAfter: '-5000', invoiceId: null },
  }
  const made = {
    type: 'SettlementMade',
    data: {
      ...{ serial: 1, settlementId: 'S-2026-01-15-1', payoutDay: '2026-01-16' },
      ...{ counters: {}, totals: [], transactionLogs: [], scopeLogs: [], payouts: [payout] },
    },
  } as const
  const owing = examplesOf(settlement)(made)
  const off = (amount: string, currency = 'NOK') =>
    ({ type: 'WriteOffDebt', correction: 'c', currency, amount, reason: 'bankrupt' }) as const
  const written = { serial: 1, currency: 'NOK', reason: 'bankrupt', correction: 'c' }

  test.each([
    ['1000', '1000', '0'],
    ['1500', '1500', '0'],
    ['2000', '1500', '500'],
    ['6500', '1500', '5000'],
  ])('of %s takes %s of fees and %s of refunds', (amount, fees, refunds) => {
    owing.when(off(amount)).then({ type: 'DebtWrittenOff', data: { ...written, fees, refunds } })
  })

  test('of more than is owed is refused, and the same again does nothing', () => {
    owing.when(off('6501')).thenRefused('write_off_exceeds_debt')
    owing.when(off('1', 'EUR')).thenRefused('write_off_exceeds_debt')
    const event = { ...written, fees: '1000', refunds: '0' }
    examplesOf(settlement)(made, { type: 'DebtWrittenOff', data: event })
      .when(off('1000'))
      .thenNothing()
  })

  test('of an invoice takes no more than is open of it, and nothing of what is owed', () => {
    const billed = { serial: 1, currency: 'NOK', fees: '1500', refunds: '5000', invoiceId: 'i' }
    const ofInvoice = (amount: string) => ({ ...off(amount), invoiceId: 'i' })
    const billing = examplesOf(settlement)(made, { type: 'DebtBilled', data: billed })
    const data = { ...written, fees: '6500', refunds: '0', invoiceId: 'i' }
    billing.when(ofInvoice('6500')).then({ type: 'DebtWrittenOff', data })
    billing.when(ofInvoice('6501')).thenRefused('payment_exceeds_invoice')
    billing.when(off('1')).thenRefused('write_off_exceeds_debt')
    owing.when(ofInvoice('1')).thenRefused('resource_is_unknown')
  })
})
