import { z } from 'zod'
import type { QueueRow } from '../../application/callback-queue.ts'
import type { Attempt } from '../../domain/callback.ts'
import {
  messageStatuses,
  statusOf,
  type CallbackMessageRow,
} from '../../projections/callback-message-table.ts'
import type { Links } from '../addresses.ts'
import { listReply } from '../lists.ts'
import { dateTime } from '../wire.ts'
import { resourcePathOf } from './callback-resource.ts'

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

type Shown = {
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
  { findQueue, links }: Shown,
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
