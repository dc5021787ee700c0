import { html } from 'hono/html'
import type {
  CallbackMessageRow,
  FoldedStatus,
} from '../../../projections/callback-message-table.ts'
import type { Html } from '../../ui/page.ts'
import type { PortalVisitor } from '../page.ts'
import { problemText } from '../problem-texts.ts'
import { textsOf } from './parts.ts'
import { filledText } from '../../../texts/message.ts'

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

const kinds: Readonly<Record<FoldedStatus, string>> = {
  waiting: 'warn',
  failing: 'bad',
  abandoned: 'bad',
  delivered: 'good',
  unaddressed: '',
}

/** By the status that the filters go by. */
export const badgeHtml = (status: FoldedStatus, text: string): Html =>
  html`<b class="badge ${kinds[status]}">${text}</b>`

/** What has become of a message. */
export const statusBadge = (
  visitor: Pick<PortalVisitor, 'language'>,
  { status }: Pick<CallbackMessageRow, 'status'>,
): Html => {
  const filter = status === 'failing' ? 'failed' : status
  return badgeHtml(status, textsOf(visitor)[`filter_${filter}`])
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
      : filledText(textsOf(visitor).answered, { status: String(httpStatus) })
  return html`<span class="value">${text}</span>`
}
