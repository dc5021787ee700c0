import { z } from 'zod'
import type { Position, Revision } from '../../application/event-store.ts'
import {
  callbackEventNames,
  displayCallbackName,
  displayMessageId,
  displayTexts,
  isDisplayed,
  scanCallbackName,
  streamOfSubject,
  type Message,
} from '../../domain/callback.ts'
import type { Recorded } from '../../domain/events.ts'
import { idIn, partsOf } from '../../domain/stream.ts'
import type { Instant } from '../../domain/time.ts'
import type { PaymentOutcome } from '../../projections/payment-outcome-state.ts'
import { permissionProjection, type PermissionOutcome } from '../../projections/permissions.ts'
import type { Projection } from '../../projections/projection.ts'
import { reportProjection, type ReportRow } from '../../projections/reports.ts'
import type { Signing } from '../addresses.ts'
import { dateTime } from '../wire.ts'
import type { AttachmentLink } from './attachment.ts'
import {
  outcomeReply,
  outcomeView,
  reportOfLine,
  type ReportHolding,
  type ShownPayment,
} from './outcome-reply.ts'
import { outcomesAsOf, type ReadHistory } from './outcomes-as-of.ts'
import { outcomePath } from './payment.ts'
import {
  permissionOutcomePath,
  permissionOutcomeReply,
  permissionOutcomeView,
  reportOfPermission,
  type PermissionRow,
} from './permission.ts'
import { reportPath, reportReply, reportView } from './report-reply.ts'

const meta = z
  .object({
    id: z.string().meta({ description: 'Stable over retries.' }),
    event: z.enum([
      ...new Set(Object.values(callbackEventNames)),
      scanCallbackName,
      displayCallbackName,
      'test_event',
    ]),
    uri: z.string().nullable(),
    timestamp: dateTime,
    seqno: z.int().meta({
      description: '1, 2, 3 … per resource; what a display is told is counted by itself.',
    }),
  })
  .meta({ id: 'CallbackMeta' })

const paymentMessage = z
  .object({ meta, object: outcomeReply.optional() })
  .meta({ id: 'CallbackMessage' })
const permissionMessage = z
  .object({ meta, object: permissionOutcomeReply.optional() })
  .meta({ id: 'PermissionCallbackMessage' })
const reportMessage = z.object({ meta, object: reportReply.optional() })
const testMessage = z.object({ meta, object: z.object({ text: z.string() }).optional() })

const displayMessage = z.object({ meta, object: z.object({ text: z.string() }) })
const scanMessage = z.object({ meta, object: z.object({ id: z.string(), argstring: z.string() }) })

const rowAfter = async <Row extends object>(
  { handles, keysOf, apply }: Pick<Projection<Row>, 'handles' | 'keysOf' | 'apply'>,
  history: AsyncIterable<readonly Recorded[]>,
  key: string,
): Promise<Row> => {
  let row: Row | undefined
  for await (const events of history)
    for (const event of events)
      if (handles.has(event.type) && keysOf(event).includes(key)) row = apply(row, event, key)
  if (!row) throw new Error(`the history holds no ${key}`)
  return row
}

type MessageNeeds = Signing & {
  readonly readHistory: ReadHistory
  readonly attachmentLink: AttachmentLink
  readonly scanToken: (scan: string) => string
  readonly reportHolding: ReportHolding
  /** Requests as their merchant sees them at an instant, with all else as it stood in the log then. */
  readonly views: {
    payment(row: PaymentOutcome, at: Instant, asOf: Position): Promise<ShownPayment>
    permission(row: PermissionOutcome, at: Instant, asOf: Position): Promise<PermissionRow>
  }
}

const reportObject = (needs: MessageNeeds, row: ReportRow, at: Instant) => {
  const { number, openedAt, closedAt, callbackUri, completion, ledgerStream } = row
  if (!completion) throw new Error(`${row.key} is not completed`)
  const [, ledger] = partsOf(idIn(ledgerStream))
  const about = { ledger, number, status: 'closed', openedAt, closedAt, callbackUri } as const
  return {
    path: reportPath(ledger, number),
    object: reportView(needs, { ...about, sums: completion }, at),
  }
}

const eventAt = async (
  readHistory: ReadHistory,
  stream: string,
  revision: Revision,
): Promise<Recorded> => {
  for await (const events of readHistory(stream, revision, revision))
    for (const event of events) return event
  throw new Error(`${stream} has no event ${revision}`)
}

/**
 * Makes the JSON text of callback messages (decisions 13): a pure function of the log up to the event that is told, so that
 * it can be made again byte for byte. The object goes along over https only, except that of a scan, which has no URI, and
 * the text for a display.
 */
export const callbackMessages = (needs: MessageNeeds) => {
  const { links, views, readHistory } = needs
  const outcomeAsOf = outcomesAsOf(readHistory)

  return async (message: Message, destination: string): Promise<string> => {
    const { event: name, seqno, subject, revision } = message
    const stream = streamOfSubject(subject)
    const event = await eventAt(readHistory, stream, revision)
    const { at } = event.metadata
    const isForDisplay = name === displayCallbackName
    const id = isForDisplay ? displayMessageId(event.id) : event.id
    const about = { id, event: name as 'test_event', timestamp: at, seqno }
    const textOf = (schema: z.ZodType, uri: string | null, object: unknown): string =>
      JSON.stringify(
        schema.parse({ meta: { ...about, uri }, ...(object !== undefined && { object }) }),
      )
    const isSafe = destination.toLowerCase().startsWith('https:')
    const history = () => readHistory(stream, 0, revision)
    if (isForDisplay && isDisplayed(event.type)) {
      const uri = links.full(outcomePath(idIn(stream)))
      return textOf(displayMessage, uri, { text: displayTexts[event.type] })
    }
    switch (event.type) {
      case 'CallbackTestRequested':
        return textOf(testMessage, null, isSafe ? { text: 'Hello World' } : undefined)
      case 'ShortlinkScanned': {
        const { scan, argstring } = event.data
        return textOf(scanMessage, null, { id: needs.scanToken(scan), argstring })
      }
      case 'ReportCompleted': {
        const row = await rowAfter(reportProjection, history(), subject)
        const { path, object } = reportObject(needs, row, at)
        return textOf(reportMessage, links.full(path), isSafe ? object : undefined)
      }
      case 'PermissionGranted':
      case 'PermissionDeclined':
      case 'PermissionFailed':
      case 'PermissionExpired': {
        const rid = idIn(subject)
        const uri = links.full(permissionOutcomePath(rid))
        if (!isSafe) return textOf(permissionMessage, uri, undefined)
        const row = await rowAfter(permissionProjection, history(), rid)
        const shown = await views.permission(row, at, event.position)
        const report = await reportOfPermission(links, needs.reportHolding)(shown)
        return textOf(permissionMessage, uri, permissionOutcomeView(shown, report))
      }
      default: {
        const uri = links.full(outcomePath(idIn(subject)))
        if (!isSafe) return textOf(paymentMessage, uri, undefined)
        const row = await outcomeAsOf(stream, revision)
        const report = await reportOfLine(links, needs.reportHolding)(row)
        const link = needs.attachmentLink(row, at)
        const shown = await views.payment(row, at, event.position)
        return textOf(paymentMessage, uri, outcomeView(shown, report, link))
      }
    }
  }
}
