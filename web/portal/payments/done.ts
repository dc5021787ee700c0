import { html } from 'hono/html'
import { findItem, type ChunkedList } from '../../../domain/chunked-list.ts'
import { isNothing, minus, nothing, type Pots } from '../../../domain/money/pots.ts'
import { available, type Part } from '../../../domain/payment/payment-state.ts'
import { shownAmount, shownTime } from '../../ui/money.ts'
import type { Html } from '../../ui/page.ts'
import { filled } from '../../ui/words.ts'
import { doneHtml } from '../parts.ts'
import type { ShownPayment } from './one-parts.ts'
import { paymentActions } from './possible.ts'
import { grossOf } from './preview.ts'

/** What an address says was done just now; `part` is the id of a capture or refund. */
export type Done = { readonly done: string | null; readonly part: string | null }

/** The amount, and what is left now; undefined for what the payment knows nothing of. */
const doneText = (
  { visitor, texts, payment }: ShownPayment,
  { done, part }: Done,
): Html | undefined => {
  const { captures, refunds, captured, refunded, released, request, expiresAt } = payment
  const money = (pots: Pots) => shownAmount(grossOf(pots), request.currency, visitor.locale)
  const ofPart = (parts: ChunkedList<Part>, name: 'capture' | 'refund', left: Pots) => {
    const one = findItem(parts, ({ id }) => id !== null && id === part)
    if (one === undefined) return undefined
    return isNothing(left)
      ? filled(texts[`done_${name}All`], money(one))
      : filled(texts[`done_${name}`], money(one), money(left))
  }
  const left = payment.status === 'auth' ? available(payment) : nothing
  switch (paymentActions.find((one) => one === done)) {
    case 'capture':
      return ofPart(captures, 'capture', left)
    case 'refund':
      return ofPart(refunds, 'refund', minus(captured, refunded))
    case 'release':
      if (!payment.endedByMerchant) return undefined
      return isNothing(released)
        ? filled(texts.done_abort, money(request))
        : filled(texts.done_release, money(released))
    case 'renew':
      return payment.isRenewed
        ? filled(texts.done_renew, money(left), shownTime(expiresAt, visitor.locale))
        : undefined
    case undefined:
      return undefined
  }
}

/** Confirms what was done. */
export const paymentDone = (shown: ShownPayment, what: Done): Html | '' => {
  const text = doneText(shown, what)
  return doneHtml(text && html`<span>${text}</span>`)
}
