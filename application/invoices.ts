import { settlements } from '../domain/aggregates.ts'
import { refuse } from '../domain/refusal.ts'
import type { Context, Deciding } from './handle.ts'

type Needs = Pick<Deciding, 'handle'> & {
  readonly settlements: {
    list(
      merchant: string,
      before: number,
      limit: number,
    ): readonly { readonly settlementId: string }[]
  }
}

/**
 * Bills all that a merchant owes after its last settlement. What comes in for an invoice, and what
 * of it is written off, are corrections. @throws Refusal nothing_is_owed
 */
export const billDebts =
  ({ handle, settlements: rows }: Needs) =>
  async (merchant: string, currency: string, context: Context): Promise<string> => {
    const [last] = rows.list(merchant, Number.MAX_SAFE_INTEGER, 1)
    const invoiceId = `${(last ?? refuse('nothing_is_owed')).settlementId}-${currency}-B`
    const command = { type: 'BillDebt', currency, invoiceId } as const
    await handle(settlements, merchant, command, context)
    return invoiceId
  }
