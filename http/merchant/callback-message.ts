import type { Position, Revision } from '../../application/event-store.ts'
import {
  displayCallbackName,
  displayMessageId,
  displayTexts,
  isDisplayed,
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
import type { AttachmentLink } from './attachment.ts'
import { callbacks, isCallbackName } from './callback-events.ts'
import {
  outcomeView,
  reportOfLine,
  type ReportHolding,
  type ShownOutcome,
} from './outcome-reply.ts'
import { outcomesAsOf, type ReadHistory } from './outcomes-as-of.ts'
import { outcomePath } from './payment.ts'
import {
  permissionOutcomePath,
  permissionOutcomeView,
  reportOfPermission,
  type PermissionRow,
} from './permission.ts'
import { reportPath, reportView } from './report-reply.ts'

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
    showPayment(row: PaymentOutcome, at: Instant, asOf: Position): Promise<ShownOutcome>
    showPermission(row: PermissionOutcome, at: Instant, asOf: Position): Promise<PermissionRow>
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
 * it can be made again byte for byte. The object goes along over https only, except those of a scan and of a test, which
 * have no URI, and the text for a display.
 */
export const callbackMessages = (needs: MessageNeeds) => {
  const { links, views, readHistory } = needs
  const outcomeAsOf = outcomesAsOf(readHistory)

  return async (message: Message, destination: string): Promise<string> => {
    const { event: name, seqno, subject, revision } = message
    if (!isCallbackName(name)) throw new Error(`${name} is no event of callbacks`)
    const stream = streamOfSubject(subject)
    const event = await eventAt(readHistory, stream, revision)
    const { at } = event.metadata
    const isForDisplay = name === displayCallbackName
    const id = isForDisplay ? displayMessageId(event.id) : event.id
    const about = { id, event: name, timestamp: at, seqno }
    const textOf = (uri: string | null, object: unknown): string =>
      JSON.stringify(callbacks[name].message.parse({ meta: { ...about, uri }, object }))
    const isSafe = destination.toLowerCase().startsWith('https:')
    const history = () => readHistory(stream, 0, revision)
    if (isForDisplay && isDisplayed(event.type)) {
      const uri = links.full(outcomePath(idIn(stream)))
      return textOf(uri, { text: displayTexts[event.type] })
    }
    switch (event.type) {
      case 'CallbackTestRequested':
        return textOf(null, { text: 'Hello World' })
      case 'ShortlinkScanned': {
        const { scan, argstring } = event.data
        return textOf(null, { id: needs.scanToken(scan), argstring })
      }
      case 'ReportCompleted': {
        const row = await rowAfter(reportProjection, history(), subject)
        const { path, object } = reportObject(needs, row, at)
        return textOf(links.full(path), isSafe ? object : undefined)
      }
      case 'PermissionGranted':
      case 'PermissionDeclined':
      case 'PermissionFailed':
      case 'PermissionExpired': {
        const rid = idIn(subject)
        const uri = links.full(permissionOutcomePath(rid))
        if (!isSafe) return textOf(uri, undefined)
        const row = await rowAfter(permissionProjection, history(), rid)
        const shown = await views.showPermission(row, at, event.position)
        const report = await reportOfPermission(links, needs.reportHolding)(shown)
        return textOf(uri, permissionOutcomeView(shown, report))
      }
      default: {
        const uri = links.full(outcomePath(idIn(subject)))
        if (!isSafe) return textOf(uri, undefined)
        const row = await outcomeAsOf(stream, revision)
        const report = await reportOfLine(links, needs.reportHolding)(row)
        const link = needs.attachmentLink(row, at)
        const shown = await views.showPayment(row, at, event.position)
        return textOf(uri, outcomeView(shown, report, link))
      }
    }
  }
}
