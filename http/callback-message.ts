import { z } from 'zod'
import {
  callbackEventNames,
  scanCallbackName,
  streamOfSubject,
  type Message,
} from '../domain/callback.ts'
import type { Recorded } from '../domain/events.ts'
import { paymentOutcomeProjection, type PaymentOutcome } from '../projections/payment-outcomes.ts'
import { reportProjection, type ReportRow } from '../projections/reports.ts'
import type { Links } from './addresses.ts'
import type { AttachmentLink } from './attachment.ts'
import { outcomePath } from './payment.ts'
import { outcomeReply, outcomeView, reportOfLine } from './payment-reply.ts'
import { reportPath, reportReply, reportView } from './report-reply.ts'
import type { SignLog } from './log.ts'
import { dateTime } from './wire.ts'

const meta = z
  .object({
    id: z.string().meta({ description: 'Stable over retries.' }),
    event: z.enum([...new Set(Object.values(callbackEventNames)), scanCallbackName, 'test_event']),
    uri: z.string().nullable(),
    timestamp: dateTime,
    seqno: z.int().meta({ description: '1, 2, 3 … per resource.' }),
  })
  .meta({ id: 'CallbackMeta' })

const paymentMessage = z
  .object({ meta, object: outcomeReply.optional() })
  .meta({ id: 'CallbackMessage' })
const reportMessage = z.object({ meta, object: reportReply.optional() })
const testMessage = z.object({ meta, object: z.object({ text: z.string() }).optional() })

const scanMessage = z.object({ meta, object: z.object({ id: z.string(), argstring: z.string() }) })

/** The object as of that very event: a pure function of the log, so that it can be made again byte for byte. */
const outcomeAt = (history: readonly Recorded[]): PaymentOutcome => {
  let row: PaymentOutcome | undefined
  for (const event of history)
    if (paymentOutcomeProjection.handles.has(event.type))
      row = paymentOutcomeProjection.apply(row, event, event.stream)
  if (!row) throw new Error('the history holds no payment')
  return row
}

/** The report that was completed by the last event of the history of its ledger. */
const reportAt = (history: readonly Recorded[], subject: string): ReportRow => {
  let row: ReportRow | undefined
  for (const event of history)
    if (event.type === 'ReportClosed' || event.type === 'ReportCompleted')
      if (`${event.stream}#${event.data.report}` === subject)
        row = reportProjection.apply(row, event, subject)
  if (!row) throw new Error(`the history holds no ${subject}`)
  return row
}

export type MessageNeeds = {
  readonly links: Links
  readonly attachmentLink: AttachmentLink
  readonly scanToken: (scan: string) => string
  readonly signLog: SignLog
  readonly reports: { holding(merchant: string, ledger: string, position: number): number }
}

const reportObject = (needs: MessageNeeds, row: ReportRow, at: number) => {
  const { number, openedAt, closedAt, callbackUri, completion, ledgerStream } = row
  if (!completion) throw new Error(`${row.key} is not completed`)
  const ledger = ledgerStream.slice(ledgerStream.indexOf('/') + 1)
  const about = { ledger, number, status: 'closed', openedAt, closedAt, callbackUri } as const
  return {
    path: reportPath(ledger, number),
    object: reportView(needs, { ...about, sums: completion }, at),
  }
}

/**
 * The JSON text of a callback message (decisions 13). `history` is the stream of its subject, at least from where it is
 * needed up to the event that is told; the object goes along over https only, except that of a scan, which has no URI.
 */
export const callbackMessage = (
  needs: MessageNeeds,
  message: Message,
  history: readonly Recorded[],
  destination: string,
): string => {
  const event = history.find(({ revision }) => revision === message.revision)
  if (event?.stream !== streamOfSubject(message.subject))
    throw new Error(`${message.subject} has no event ${message.revision}`)
  const { event: name, seqno } = message
  const withObject = destination.toLowerCase().startsWith('https:')
  const about = { id: event.id, event: name as 'test_event', timestamp: event.metadata.at, seqno }
  if (event.type === 'CallbackTestRequested') {
    const told = { meta: { ...about, uri: null }, object: { text: 'Hello World' } }
    return JSON.stringify(testMessage.parse(withObject ? told : { meta: told.meta }))
  }
  if (event.type === 'ShortlinkScanned') {
    const object = { id: needs.scanToken(event.data.scan), argstring: event.data.argstring }
    return JSON.stringify(scanMessage.parse({ meta: { ...about, uri: null }, object }))
  }
  const { links } = needs
  const past = history.filter(({ revision }) => revision <= message.revision)
  if (event.type === 'ReportCompleted') {
    const { path, object } = reportObject(needs, reportAt(past, message.subject), about.timestamp)
    const told = { meta: { ...about, uri: links.full(path) }, object }
    return JSON.stringify(reportMessage.parse(withObject ? told : { meta: told.meta }))
  }
  const row = outcomeAt(past)
  const told = { ...about, uri: links.full(outcomePath(row.tid)) }
  const object = {
    ...outcomeView(row, reportOfLine(links, needs.reports)(row)),
    ...needs.attachmentLink(row, event.metadata.at),
  }
  return JSON.stringify(paymentMessage.parse(withObject ? { meta: told, object } : { meta: told }))
}
