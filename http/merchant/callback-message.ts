import { z } from 'zod'
import type { Position } from '../../application/event-store.ts'
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
import { paymentOutcome } from '../../projections/payment-outcome.ts'
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

/** The row as of the last event of a history: a pure function of the log, so that it can be made again byte for byte. */
const rowOf = <Row extends object>(
  { handles, keysOf, apply }: Pick<Projection<Row>, 'handles' | 'keysOf' | 'apply'>,
  history: readonly Recorded[],
  key: string,
): Row => {
  let row: Row | undefined
  for (const event of history)
    if (handles.has(event.type) && keysOf(event).includes(key)) row = apply(row, event, key)
  if (!row) throw new Error(`the history holds no ${key}`)
  return row
}

/** What stands behind the category in the name of a stream. */
export type MessageNeeds = Signing & {
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

/**
 * The JSON text of a callback message (decisions 13). `history` is the stream of its subject, at least from where it is
 * needed up to the event that is told; the object goes along over https only, except that of a scan, which has no URI,
 * and the text for a display.
 */
export const callbackMessage = async (
  needs: MessageNeeds,
  message: Message,
  history: readonly Recorded[],
  destination: string,
): Promise<string> => {
  const { links, views } = needs
  const { event: name, seqno, subject, revision: last } = message
  const event = history.find(({ revision }) => revision === last)
  if (event?.stream !== streamOfSubject(subject)) throw new Error(`${subject} has no event ${last}`)
  const { at } = event.metadata
  const isForDisplay = name === displayCallbackName
  const id = isForDisplay ? displayMessageId(event.id) : event.id
  const about = { id, event: name as 'test_event', timestamp: at, seqno }
  const textOf = (schema: z.ZodType, uri: string | null, object: unknown): string =>
    JSON.stringify(
      schema.parse({ meta: { ...about, uri }, ...(object !== undefined && { object }) }),
    )
  const isSafe = destination.toLowerCase().startsWith('https:')
  if (isForDisplay && isDisplayed(event.type)) {
    const uri = links.full(outcomePath(idIn(event.stream)))
    return textOf(displayMessage, uri, { text: displayTexts[event.type] })
  }
  const past = history.filter(({ revision }) => revision <= last)
  switch (event.type) {
    case 'CallbackTestRequested':
      return textOf(testMessage, null, isSafe ? { text: 'Hello World' } : undefined)
    case 'ShortlinkScanned': {
      const { scan, argstring } = event.data
      return textOf(scanMessage, null, { id: needs.scanToken(scan), argstring })
    }
    case 'ReportCompleted': {
      const { path, object } = reportObject(needs, rowOf(reportProjection, past, subject), at)
      return textOf(reportMessage, links.full(path), isSafe ? object : undefined)
    }
    case 'PermissionGranted':
    case 'PermissionDeclined':
    case 'PermissionFailed':
    case 'PermissionExpired': {
      const rid = idIn(subject)
      const uri = links.full(permissionOutcomePath(rid))
      if (!isSafe) return textOf(permissionMessage, uri, undefined)
      const row = rowOf(permissionProjection, past, rid)
      const shown = await views.permission(row, at, event.position)
      const report = await reportOfPermission(links, needs.reportHolding)(shown)
      return textOf(permissionMessage, uri, permissionOutcomeView(shown, report))
    }
    default: {
      const tid = idIn(subject)
      const uri = links.full(outcomePath(tid))
      // A long history takes a while to fold.
      if (!isSafe) return textOf(paymentMessage, uri, undefined)
      const row = rowOf(paymentOutcome, past, tid)
      const report = await reportOfLine(links, needs.reportHolding)(row)
      const link = needs.attachmentLink(row, at)
      const shown = await views.payment(row, at, event.position)
      return textOf(paymentMessage, uri, outcomeView(shown, report, link))
    }
  }
}
