import { operateDisputes, requestedPayment, type KnownDispute } from '../application/disputes.ts'
import { showsSomething } from '../domain/blanks.ts'
import { grossOf } from '../domain/accounting/fees.ts'
import { formatAmount } from '../domain/money/money.ts'
import { longestReason } from '../domain/payment/dispute.ts'
import type { Core } from '../service/core.ts'
import { fail } from '../infrastructure/failures.ts'
import { instantOf } from './arguments.ts'
import { group, onData, preset, required, value } from './command.ts'
import { fixedOf } from './fees.ts'

const shown = ({ id, tid, currency, dispute }: KnownDispute) => ({
  id,
  tid,
  amount: formatAmount(grossOf(dispute), currency),
  currency,
  fee: formatAmount(dispute.charge.fee, currency),
  reason: dispute.reason,
  state: dispute.state,
  due: new Date(dispute.due).toISOString(),
  evidence: dispute.evidence.length,
})

const ofOperator = (core: Core) => (merchant: string) => core.contextOf('operator', merchant)

const open = onData({
  name: 'open <tid>',
  about: 'take a captured amount from the ledger of a payment until the dispute is won',
  options: {
    amount: value('<amount>', 'of captures; default: all that is neither refunded nor disputed'),
    reason: required('<text>', 'shown to the merchant'),
    due: required('<date>', 'until when evidence is taken, YYYY-MM-DD in UTC, or with hh:mm:ss'),
    fee: preset('<amount>', 'what the dispute costs the merchant, without VAT', '0'),
  },
  run: async (core, tid, { amount, reason, due, fee }) => {
    const { request } = await requestedPayment(core.find, tid)
    const text = reason.trim()
    if (!showsSomething(text) || text.length > longestReason)
      fail(`a reason has 1 to ${longestReason} characters`)
    const minor = (given: string) => fixedOf(given, request.currency)
    const gross = amount === undefined ? null : minor(amount)
    const wanted = { gross, fee: minor(fee), reason: text, due: instantOf(due) }
    return shown(await operateDisputes(core).openDispute(tid, wanted, ofOperator(core)))
  },
})

const close = (outcome: 'won' | 'lost', about: string) =>
  onData({
    name: `${outcome} <dispute>` as '<dispute>',
    about,
    run: async (core, id) =>
      shown(await operateDisputes(core).closeDispute(id, outcome, ofOperator(core))),
  })

const mostShown = 1_000

const list = onData({
  name: 'list',
  about: 'list the open disputes of all merchants, the next deadline first',
  run: async (core) => {
    await core.readModels.caughtUp()
    return core.payments.disputes.open(mostShown).map(shown)
  },
})

export const disputeCommands = group('dispute', 'captures that payers dispute', [
  open,
  close('won', 'give the amount back to the merchant; the fee stays'),
  close('lost', 'close the dispute; the amount stays with the payer'),
  list,
])
