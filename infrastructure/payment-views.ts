import type { Instant } from '../domain/time.ts'
import type { PaymentOutcome } from '../projections/payment-outcomes.ts'
import type { PaymentRequestRow } from '../projections/payment-requests.ts'
import type { Core } from './core.ts'

type Show = (stored: string | null) => string | null

export const shownOutcome = (row: PaymentOutcome, show: Show): PaymentOutcome => ({
  ...row,
  customer: show(row.customer),
})

const shownRequest = (row: PaymentRequestRow, show: Show): PaymentRequestRow => ({
  ...row,
  request: { ...row.request, customer: show(row.request.customer) },
})

/** Payments as their merchant sees them: customers are shown as they were named. */
export const paymentViews = ({ outcomes, requests }: Core, show: Show) => ({
  outcomes: {
    ...outcomes,
    find: (merchant: string, tid: string, now: Instant) => {
      const row = outcomes.find(merchant, tid, now)
      return row && shownOutcome(row, show)
    },
  },
  requests: {
    ...requests,
    find: (merchant: string, stream: string) => {
      const row = requests.find(merchant, stream)
      return row && shownRequest(row, show)
    },
  },
})
