import { z } from 'zod'
import { permissionRequests } from '../application/aggregates.ts'
import { streamOf } from '../application/handle.ts'
import { callbackEventNames, type Message } from '../domain/callback.ts'
import type { Recorded } from '../domain/events.ts'
import type { Instant } from '../domain/time.ts'
import { paymentOutcomeProjection, type PaymentOutcome } from '../projections/payment-outcomes.ts'
import { permissionProjection, type PermissionOutcome } from '../projections/permissions.ts'
import type { Projection } from '../projections/projection.ts'
import type { Links } from './addresses.ts'
import { outcomePath } from './payment.ts'
import { outcomeReply, outcomeView, type ShownPayment } from './payment-reply.ts'
import {
  permissionOutcomePath,
  permissionOutcomeReply,
  permissionOutcomeView,
  type PermissionRow,
} from './permission.ts'
import { dateTime } from './wire.ts'

const meta = z
  .object({
    id: z.string().meta({ description: 'Stable over retries.' }),
    event: z.enum([...new Set(Object.values(callbackEventNames)), 'test_event']),
    uri: z.string().nullable(),
    timestamp: dateTime,
    seqno: z.int().meta({ description: '1, 2, 3 … per resource.' }),
  })
  .meta({ id: 'CallbackMeta' })

const paymentMessage = z
  .object({ meta, object: outcomeReply.optional() })
  .meta({ id: 'CallbackMessage' })
const permissionMessage = z
  .object({ meta, object: permissionOutcomeReply.optional() })
  .meta({ id: 'PermissionCallbackMessage' })
const testMessage = z.object({ meta, object: z.object({ text: z.string() }).optional() })

/** The object as of that very event: a pure function of the log, so that it can be made again byte for byte. */
const rowAt = <Row extends object>(
  { handles, apply }: Projection<Row>,
  history: readonly Recorded[],
): Row => {
  const row = history
    .filter(({ type }) => handles.has(type))
    .reduce<Row | undefined>((row, event) => apply(row, event), undefined)
  if (!row) throw new Error('the history tells of nothing')
  return row
}

export type MessageNeeds = {
  readonly links: Links
  /** Requests as their merchant sees them at an instant. */
  readonly views: {
    payment(row: PaymentOutcome, at: Instant): Promise<ShownPayment>
    permission(row: PermissionOutcome, at: Instant): Promise<PermissionRow>
  }
}

/**
 * The JSON text of a callback message (decisions 13). `history` is the stream of its subject up to the event that it
 * tells; the object goes along over https only.
 */
export const callbackMessage = async (
  { links, views }: MessageNeeds,
  message: Message,
  history: readonly Recorded[],
  destination: string,
): Promise<string> => {
  const event = history[message.revision]
  if (!event) throw new Error(`${message.subject} has no event ${message.revision}`)
  const { event: name, seqno, subject } = message
  const withObject = destination.toLowerCase().startsWith('https:')
  const { at } = event.metadata
  const about = { id: event.id, event: name as 'test_event', timestamp: at, seqno }
  if (event.type === 'CallbackTestRequested') {
    const told = { meta: { ...about, uri: null }, object: { text: 'Hello World' } }
    return JSON.stringify(testMessage.parse(withObject ? told : { meta: told.meta }))
  }
  const told = history.slice(0, message.revision + 1)
  if (subject.startsWith(streamOf(permissionRequests, ''))) {
    const row = rowAt(permissionProjection, told)
    const meta = { ...about, uri: links.full(permissionOutcomePath(row.rid)) }
    const object = withObject && permissionOutcomeView(await views.permission(row, at))
    return JSON.stringify(permissionMessage.parse(object ? { meta, object } : { meta }))
  }
  const row = rowAt(paymentOutcomeProjection, told)
  const meta = { ...about, uri: links.full(outcomePath(row.tid)) }
  const object = withObject && outcomeView(await views.payment(row, at))
  return JSON.stringify(paymentMessage.parse(object ? { meta, object } : { meta }))
}
