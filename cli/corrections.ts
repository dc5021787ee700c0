import { owedBy, operateCorrections } from '../application/corrections.ts'
import { isOfDebt, longestReason, type KnownCorrection } from '../domain/accounting/correction.ts'
import { defaultLedger } from '../domain/accounting/ledger.ts'
import { showsSomething } from '../domain/blanks.ts'
import { isCurrency } from '../domain/money/currency.ts'
import { formatAmount, parseSignedAmount } from '../domain/money/money.ts'
import { Refusal } from '../domain/refusal.ts'
import { fail } from '../infrastructure/failures.ts'
import type { Core } from '../service/core.ts'
import { presentMerchant } from './arguments.ts'
import { flag, group, onData, preset, required, value } from './command.ts'

const shown = (id: string, { amount, currency, ...correction }: KnownCorrection) => ({
  id,
  merchant: correction.merchant,
  ...(correction.isWriteOff && { writes_off: true }),
  ...(correction.invoice && { invoice: correction.invoice.id }),
  ...(!isOfDebt(correction) && { ledger: correction.ledger }),
  amount: formatAmount(amount, currency),
  currency,
  reason: correction.reason,
  status: correction.status,
  proposed_by: correction.by,
  decided_by: correction.decidedBy,
})

const signedOf = (text: string, currency: string): number => {
  try {
    return parseSignedAmount(text, currency)
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return fail(`${text} must be an amount of ${currency}: ${error.message}`)
  }
}

const propose = onData({
  name: 'propose <merchant>',
  about: 'propose to give a merchant an amount, or to take it; another person decides',
  options: {
    amount: required('<amount>', 'below zero to take it: --amount=-12.50'),
    reason: required('<text>', 'shown to the merchant'),
    currency: value('<code>', 'default: that of the merchant'),
    ledger: preset('<ledger>', 'which gets the line', defaultLedger),
    writeOff: flag('write off what the merchant owes from earlier settlements: it is no line'),
    id: value('<id>', 'repeating it proposes nothing again; default: a new one'),
  },
  run: async (core, merchant, { amount, reason, currency: code, ledger, writeOff, id }) => {
    const { currency: own } = await presentMerchant(core, merchant)
    const currency = code ?? own
    if (!isCurrency(currency)) fail(`${currency} must be a currency such as NOK`)
    const text = reason.trim()
    if (!showsSomething(text) || text.length > longestReason)
      fail(`a reason has 1 to ${longestReason} characters`)
    if (id !== undefined && !/^[\w-]{1,35}$/.test(id)) fail('an id has 1 to 35 letters or digits')
    const about = { merchant, ledger, currency, reason: text }
    const proposal = { ...about, amount: signedOf(amount, currency) }
    const known = id ?? core.newId().replaceAll('-', '')
    const context = core.contextOf('operator', merchant)
    const { propose } = operateCorrections(core)
    return shown(
      known,
      await propose(known, { ...proposal, ...(writeOff && { isWriteOff: true }) }, context),
    )
  },
})

const ofOperator = (core: Core) => (merchant: string) => core.contextOf('operator', merchant)

const decide = (way: 'approve' | 'reject', about: string) =>
  onData({
    name: `${way} <correction>` as '<correction>',
    about,
    run: async (core, id) => {
      const { approve, turnDown } = operateCorrections(core)
      return shown(id, await (way === 'approve' ? approve : turnDown)(id, ofOperator(core)))
    },
  })

const mostShown = 1_000

const list = onData({
  name: 'list',
  about: 'list the corrections that wait for a second person, oldest first',
  run: async (core) => {
    await core.readModels.caughtUp()
    const rows = core.accounting.corrections.proposed(mostShown)
    return rows.map(({ id, correction }) => shown(id, correction))
  },
})

const debts = onData({
  name: 'debts',
  about: 'list what merchants owe from earlier settlements',
  run: async (core) => {
    await core.readModels.caughtUp()
    return owedBy(core.accounting.journal).map(({ merchant, currency, owed }) => ({
      ...{ merchant, currency },
      owed: formatAmount(owed, currency),
    }))
  },
})

export const correctionCommands = group('correction', 'corrections under four eyes', [
  propose,
  decide('approve', 'approve what somebody else has proposed'),
  decide('reject', 'turn down what was proposed'),
  list,
  debts,
])
