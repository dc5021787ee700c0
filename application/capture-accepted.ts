import { payments } from '../domain/aggregates.ts'
import { Refusal } from '../domain/refusal.ts'
import { recordDue, type DueNeeds, type DueRows } from './expire-requests.ts'
import type { FindTerms } from './fee-book.ts'
import type { Find } from './find-state.ts'

type Row = { readonly tid: string; readonly merchant: string }

type Needs = Omit<DueNeeds<Row>, 'rows'> & {
  readonly rows: { toCapture(limit: number): readonly Row[] }
  readonly find: Find
  readonly findTerms: FindTerms
}

/** Captures whole what payers have accepted of payments that are captured at once. */
export const captureAccepted = (needs: Needs) => {
  const { share, caughtUp, newId, outageOf, find, findTerms } = needs
  const rows: DueRows<Row> = {
    due: (_, limit) => needs.rows.toCapture(limit),
    nextDeadline: () => null,
  }
  return recordDue(
    { share, rows, caughtUp, newId, outageOf },
    {
      category: payments.category,
      idOf: ({ tid }) => tid,
      record: async (tid, context) => {
        const payment = await find(payments, tid)
        if (payment.status === 'unrequested') throw new Error(`payment ${tid} is unknown`)
        const { at } = context
        const { merchant, currency } = payment.request
        const terms = await findTerms(merchant, currency, at)
        const command = { type: 'CapturePayment', at, wanted: 'everything', terms } as const
        try {
          return await share.handle(payments, tid, command, context)
        } catch (error) {
          // Captured, released or expired since the read model was read.
          if (error instanceof Refusal) return { events: [] }
          throw error
        }
      },
    },
  )
}
