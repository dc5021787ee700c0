import { z } from 'zod'
import type { QueueRow } from '../../application/callback-queue.ts'
import type { Attempt } from '../../domain/callback.ts'
import {
  messageStatuses,
  statusOf,
  type CallbackMessageRow,
} from '../../projections/callback-message-table.ts'
import { type Links, merchantPrefix } from '../addresses.ts'
import { listReply } from '../lists.ts'
import { dateTime } from '../wire.ts'
import { callbackObjects } from '../../application/callback-object.ts'
import { makeAttachmentLink } from './attachment.ts'
import { callbackMessages } from './callback-message.ts'
import { displayOf } from '../../domain/callback-names.ts'
import { categoryOf, idIn, merchantAndIdIn, within } from '../../domain/stream.ts'
import { afterOrigin } from '../call.ts'

/** Kinds of resources by the category of the streams that tell of them. */
export const kinds: Readonly<Record<string, string>> = {
  payment: 'payment_request',
  permission: 'permission_request',
  scans: 'shortlink',
}

/** The path of the resource that a message is about; null if it is about none. */
export const resourcePathOf = (subject: string): string | null => {
  const [stream = '', part = ''] = subject.split('#')
  const category = categoryOf(stream)
  const kind = kinds[category]
  if (kind !== undefined) return `${merchantPrefix}/${kind}/${idIn(stream)}/`
  if (category === 'settlement') return `${merchantPrefix}/settlement/`
  if (category !== 'ledger') return null
  const [, ledger] = merchantAndIdIn(idIn(stream))
  return `${merchantPrefix}/ledger/${encodeURIComponent(ledger)}/report/${part}/`
}

export const subjectsOfKind = (kind: string, id: string): readonly string[] =>
  Object.entries(kinds)
    .filter(([, name]) => name === kind)
    .map(([category]) => `${category}-${id}`)
    .flatMap((stream) => (kind === 'payment_request' ? [stream, displayOf(stream)] : [stream]))

/** The subjects of a resource, given as its URI or its id. */
export const subjectsOf = (resource: string, merchant: string): readonly string[] => {
  const path = resource.includes('://') ? afterOrigin(resource) : resource
  const [kind = '', id = '', , report = ''] = path
    .replace(`${merchantPrefix}/`, '')
    .split('/')
    .filter((part) => part !== '')
  if (kind === 'settlement') return [`settlement-${merchant}`]
  if (kind === 'ledger') return [`ledger-${within(merchant, decodeURIComponent(id))}#${report}`]
  if (Object.values(kinds).includes(kind)) return subjectsOfKind(kind, id)
  return Object.values(kinds).flatMap((any) => subjectsOfKind(any, kind))
}

export type Needs = Parameters<typeof callbackObjects>[0] &
  Pick<Parameters<typeof callbackMessages>[0], 'links' | 'reportHolding' | 'isSafeChannel'> & {
    readonly tokens: Pick<Parameters<typeof callbackMessages>[0], 'sign' | 'scanToken'>
  }

/** The words of callbacks, made from the log. */
export const wordsOfCallbacks = ({ tokens: { sign, scanToken }, ...needs }: Needs) => {
  const attachmentLink = makeAttachmentLink({ links: needs.links, sign })
  const tellEvent = callbackObjects(needs)
  return callbackMessages({ ...needs, sign, scanToken, attachmentLink, tellEvent })
}

export const statusMeaning = [
  '`unaddressed`: there was no address when it was told, the feed has it;',
  '`waiting`: it will be sent; `delivered`; `abandoned`: given up, it can be tried again.',
].join(' ')

const summary = z
  .object({
    id: z.string().meta({ description: 'As in `meta`.' }),
    event: z.string(),
    resource: z.string().nullable().meta({ description: 'What it is about.' }),
    seqno: z.int(),
    timestamp: dateTime,
    status: z.enum(messageStatuses).meta({ description: statusMeaning }),
    attempts: z.int(),
    callback_uri: z.string().nullable().meta({ description: 'Where it goes now.' }),
    next_attempt: dateTime.nullable(),
  })
  .meta({ id: 'CallbackSummary' })

const attempt = z
  .object({
    time: dateTime,
    callback_uri: z.string(),
    result: z.enum(['delivered', 'failed', 'gone']),
    http_status: z.int().nullable(),
    problem: z.string().nullable().meta({ description: 'In words; null when it arrived.' }),
    duration_ms: z.int().nullable().meta({ description: 'Null for attempts of old.' }),
  })
  .meta({ id: 'CallbackAttempt' })

export const callbackDetail = summary
  .omit({ attempts: true })
  .extend({
    attempts: z.array(attempt).meta({ description: 'Oldest first.' }),
    body: z.string().meta({ description: 'The message as it is sent, byte for byte.' }),
  })
  .meta({ id: 'CallbackDetail' })

export const callbackList = listReply
  .extend({ callbacks: z.array(summary) })
  .meta({ id: 'CallbackList' })

type SummaryNeeds = {
  readonly links: Links
  readonly findQueue: (subject: string) => QueueRow | undefined
}

/** The queue knows best what becomes of a message. */
const fateOf = (row: CallbackMessageRow, queue: QueueRow | undefined) => {
  const { id } = row
  const status = statusOf(row)
  const waiting = queue?.waiting.find((one) => one.id === id)
  const callback_uri = queue?.callbackUri ?? null
  if (waiting) {
    const next = callback_uri === null ? null : waiting.nextAttemptAt
    return { status: 'waiting' as const, callback_uri, next_attempt: next }
  }
  const settled = status === 'waiting' ? ('abandoned' as const) : status
  return { status: settled, callback_uri, next_attempt: null }
}

export const summaryView = (
  { findQueue, links }: SummaryNeeds,
  row: CallbackMessageRow,
): z.input<typeof summary> => {
  const { id, event, subject, seqno, at, attempts } = row
  const path = resourcePathOf(subject)
  const resource = path === null ? null : links.inBody(path)
  const about = { id, event, resource, seqno, timestamp: at, attempts }
  return { ...about, ...fateOf(row, findQueue(subject)) }
}

export const attemptView = (one: Attempt): z.input<typeof attempt> => ({
  time: one.attemptedAt,
  callback_uri: one.uri,
  result: one.result,
  http_status: one.httpStatus,
  problem: one.problem,
  duration_ms: one.durationMs ?? null,
})
