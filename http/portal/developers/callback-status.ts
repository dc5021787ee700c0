import { html } from 'hono/html'
import type {
  CallbackMessageRow,
  FoldedStatus,
} from '../../../projections/callback-message-table.ts'
import { summaryView } from '../../merchant/callback-reply.ts'
import type { Html } from '../../payer/page.ts'
import { filledText } from '../../payer/words.ts'
import type { PortalVisitor } from '../page.ts'
import { problemText } from '../texts-problems.ts'
import { textsOf } from './parts.ts'

type StatusNeeds = Parameters<typeof summaryView>[0]

/** The filters of the list, and what each shows. */
export const filters = {
  waiting: ['waiting'],
  failed: ['failing', 'abandoned'],
  abandoned: ['abandoned'],
  delivered: ['delivered'],
  unaddressed: ['unaddressed'],
} as const satisfies Readonly<Record<string, readonly FoldedStatus[]>>

export type CallbackFilter = keyof typeof filters
export const callbackFilters = Object.keys(filters) as [CallbackFilter, ...CallbackFilter[]]

/** Those without an address stand in the feed alone. */
export const addressed = [...filters.waiting, ...filters.failed, ...filters.delivered]

const kinds: Readonly<Record<CallbackFilter, string>> = {
  waiting: 'warn',
  failed: 'bad',
  abandoned: 'bad',
  delivered: 'good',
  unaddressed: '',
}

/** What has become of a message. */
export const statusBadge = (
  needs: StatusNeeds,
  visitor: PortalVisitor,
  row: CallbackMessageRow,
): Html => {
  const { status } = summaryView(needs, row)
  const shown = status === 'waiting' && row.status === 'failing' ? 'failed' : status
  return html`<b class="badge ${kinds[shown]}">${textsOf(visitor)[`filter_${shown}`]}</b>`
}

/** Why the last attempt failed, in short. */
export const reasonHtml = (
  visitor: PortalVisitor,
  { httpStatus, problem }: CallbackMessageRow,
): Html | '' => {
  if (httpStatus === null && problem === null) return ''
  const text =
    httpStatus === null
      ? problemText(problem ?? '', visitor.language)
      : filledText(textsOf(visitor).answered, String(httpStatus))
  return html`<span class="value">${text}</span>`
}
