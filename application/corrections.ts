import { corrections, ledgers, settlements } from '../domain/aggregates.ts'
import {
  isOfDebt,
  type CorrectionCommand,
  type CorrectionProposal,
  type KnownCorrection,
} from '../domain/accounting/correction.ts'
import type { DebtCommand } from '../domain/accounting/debts.ts'
import { defaultLedger } from '../domain/accounting/ledger.ts'
import { addUp, type Sum } from '../domain/money/money.ts'
import { refuse } from '../domain/refusal.ts'
import { within } from '../domain/stream.ts'
import type { FindTerms } from './fee-book.ts'
import { dryRun, type Find } from './find-state.ts'
import type { Context, Deciding } from './handle.ts'

/** A member of the operator's staff, or the account of the machine that runs a command. */
export const personOf = ({ actor, operator }: Context): string =>
  operator ? `account:${operator.account}` : actor

const ledgerIsKnown = async (find: Find, merchant: string, ledger: string): Promise<boolean> =>
  ledger === defaultLedger ||
  (await find(ledgers, within(merchant, ledger), 'log')).registered !== null

type Balance = {
  readonly account: string
  readonly merchant: string | null
  readonly currency: string
  readonly balance: Sum
}

export type Owed = { readonly merchant: string; readonly currency: string; readonly owed: Sum }

/** What merchants owe from earlier settlements, by merchant and currency. */
export const owedBy = (journal: { balances(): readonly Balance[] }): readonly Owed[] => {
  const debts = new Map<string, Owed>()
  for (const { account, merchant, currency, balance } of journal.balances()) {
    if (merchant === null || (account !== 'unsettled_fees' && account !== 'unsettled_refunds'))
      continue
    const key = within(merchant, currency)
    const owed = addUp(debts.get(key)?.owed ?? '0', balance)
    debts.set(key, { merchant, currency, owed })
  }
  const inOrder = [...debts].sort(([one], [other]) => (one < other ? -1 : 1))
  return inOrder.map(([, debt]) => debt).filter(({ owed }) => owed !== '0')
}

/** What is done about a debt or an invoice when its correction is approved. */
const debtCommandOf = (
  correction: string,
  { currency, amount: minor, reason, invoice }: Omit<CorrectionProposal, 'by'>,
): DebtCommand => {
  const amount = String(minor)
  if (invoice?.paid) return { type: 'PayInvoice', invoiceId: invoice.id, amount, ...invoice.paid }
  const about = { correction, currency, amount, reason, ...(invoice && { invoiceId: invoice.id }) }
  return { type: 'WriteOffDebt', ...about }
}

type Needs = Deciding & { readonly findTerms: FindTerms }

/** How the operator corrects what merchants have: one person proposes, another one decides. */
export const operateCorrections = ({ handle, find, findTerms }: Needs) => {
  const known = async (id: string): Promise<KnownCorrection> => {
    const found = await find(corrections, id, 'log')
    return found.status === 'unproposed' ? refuse('resource_is_unknown') : found
  }

  const carryOut = async (
    id: string,
    command: CorrectionCommand,
    context: Context,
  ): Promise<KnownCorrection> => {
    const { state } = await handle(corrections, id, command, context)
    return state.status === 'unproposed' ? refuse('resource_is_unknown') : state
  }

  return {
    /** Repeating it with the same id changes nothing. The merchant must exist. @throws Refusal */
    propose: async (
      id: string,
      draft: Omit<CorrectionProposal, 'by'>,
      context: Context,
    ): Promise<KnownCorrection> => {
      const { merchant, ledger, invoice } = draft
      if (!(await ledgerIsKnown(find, merchant, ledger))) return refuse('ledger_is_unknown')
      if (invoice) await dryRun(find, settlements, merchant, debtCommandOf(id, draft))
      const proposal = { ...draft, by: personOf(context) }
      return carryOut(id, { type: 'ProposeCorrection', proposal }, context)
    },
    /** @throws Refusal second_person_is_needed, correction_is_decided, write_off_exceeds_debt */
    approve: async (
      id: string,
      contextOf: (merchant: string) => Context,
    ): Promise<KnownCorrection> => {
      const proposal = await known(id)
      const { merchant, currency } = proposal
      const context = contextOf(merchant)
      const terms = await findTerms(merchant, currency, context.at)
      const command = { type: 'ApproveCorrection', by: personOf(context), terms } as const
      if (isOfDebt(proposal)) {
        await dryRun(find, corrections, id, command)
        // First, because it may be refused. Repeating it moves nothing again.
        await handle(settlements, merchant, debtCommandOf(id, proposal), context)
      }
      return carryOut(id, command, context)
    },
    /** By anybody of the operator, also who proposed it. @throws Refusal correction_is_decided */
    turnDown: async (
      id: string,
      contextOf: (merchant: string) => Context,
    ): Promise<KnownCorrection> => {
      const { merchant } = await known(id)
      const context = contextOf(merchant)
      const command = { type: 'TurnDownCorrection', by: personOf(context) } as const
      return carryOut(id, command, context)
    },
  }
}
