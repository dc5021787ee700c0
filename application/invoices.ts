import { settlements } from '../domain/aggregates.ts'
import type { Sum } from '../domain/money/money.ts'
import { refuse } from '../domain/refusal.ts'
import type { Context, Deciding } from './handle.ts'

type Needs = Deciding & {
  readonly settlements: {
    list(
      merchant: string,
      before: number,
      limit: number,
    ): readonly { readonly settlementId: string }[]
  }
  readonly invoices: {
    find(id: string): { readonly merchant: string; readonly currency: string } | undefined
  }
}

/** How the operator bills merchants for what they owe, and books what they pay in. */
export const operateInvoices = ({ handle, settlements: rows, invoices }: Needs) => {
  const pay = async (
    invoiceId: string,
    paid: { readonly amount: Sum; readonly day: string; readonly entry: string },
    contextOf: (merchant: string) => Context,
  ): Promise<void> => {
    const { merchant } = invoices.find(invoiceId) ?? refuse('resource_is_unknown')
    const command = { type: 'PayInvoice', invoiceId, ...paid } as const
    await handle(settlements, merchant, command, contextOf(merchant))
  }

  return {
    /** Bills all that is owed after the last settlement. @throws Refusal nothing_is_owed */
    bill: async (
      merchant: string,
      currency: string,
      contextOf: (merchant: string) => Context,
    ): Promise<string> => {
      const [last] = rows.list(merchant, Number.MAX_SAFE_INTEGER, 1)
      const invoiceId = `${(last ?? refuse('nothing_is_owed')).settlementId}-${currency}-B`
      const command = { type: 'BillDebt', currency, invoiceId } as const
      await handle(settlements, merchant, command, contextOf(merchant))
      return invoiceId
    },
    pay,
  }
}
