import { z } from 'zod'
import { callbackEventNames, type Message } from '../domain/callback.ts'
import type { Recorded } from '../domain/events.ts'
import { paymentOutcomeProjection, type PaymentOutcome } from '../projections/payment-outcomes.ts'
import type { Links } from './addresses.ts'
import { outcomePath } from './payment.ts'
import { outcomeReply, outcomeView } from './payment-reply.ts'
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
const testMessage = z.object({ meta, object: z.object({ text: z.string() }).optional() })

/** The object as of that very event: a pure function of the log, so that it can be made again byte for byte. */
const outcomeAt = (history: readonly Recorded[]): PaymentOutcome => {
  let row: PaymentOutcome | undefined
  for (const event of history)
    if (paymentOutcomeProjection.handles.has(event.type))
      row = paymentOutcomeProjection.apply(row, event)
  if (!row) throw new Error('the history holds no payment')
  return row
}

/**
 * The JSON text of a callback message (decisions 13). `history` is the stream of its subject up to the event that it
 * tells; the object goes along over https only.
 */
export const callbackMessage = (
  links: Links,
  message: Message,
  history: readonly Recorded[],
  destination: string,
  shown: (row: PaymentOutcome) => PaymentOutcome,
): string => {
  const event = history[message.revision]
  if (!event) throw new Error(`${message.subject} has no event ${message.revision}`)
  const { event: name, seqno } = message
  const withObject = destination.toLowerCase().startsWith('https:')
  const about = { id: event.id, event: name as 'test_event', timestamp: event.metadata.at, seqno }
  if (event.type === 'CallbackTestRequested') {
    const told = { meta: { ...about, uri: null }, object: { text: 'Hello World' } }
    return JSON.stringify(testMessage.parse(withObject ? told : { meta: told.meta }))
  }
  const row = shown(outcomeAt(history.slice(0, message.revision + 1)))
  const told = { ...about, uri: links.full(outcomePath(row.tid)) }
  return JSON.stringify(
    paymentMessage.parse(withObject ? { meta: told, object: outcomeView(row) } : { meta: told }),
  )
}
