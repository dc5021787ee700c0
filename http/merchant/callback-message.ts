import type { CallbackObject, ReadCallbackContent } from '../../application/callback-object.ts'
import type { Message } from '../../domain/callback.ts'
import { channelOf } from '../../domain/merchant/channel.ts'
import { formatAmount } from '../../domain/money/money.ts'
import type { Instant } from '../../domain/time.ts'
import type { Signing } from '../addresses.ts'
import type { AttachmentLink } from './attachment.ts'
import { callbacks, isCallbackName } from './callback-events.ts'
import { disputePath, disputeView } from './dispute.ts'
import { outcomeView, reportOfLine, type ReportHolding } from './outcome-reply.ts'
import { outcomePath } from './payment.ts'
import { permissionOutcomePath, permissionOutcomeView, reportOfPermission } from './permission.ts'
import { reportPath, reportView } from './report-reply.ts'
import { settlementPath, settlementView } from './settlement.ts'

type MessageNeeds = Signing & {
  readonly tellEvent: ReadCallbackContent
  readonly attachmentLink: AttachmentLink
  readonly scanToken: (scan: string) => string
  readonly reportHolding: ReportHolding
  /** Whether the object may go to this Pusher channel. */
  readonly isSafeChannel: (uri: string) => boolean
}

const pathOf = (object: CallbackObject): string | null => {
  switch (object.about) {
    case 'payment':
    case 'display':
      return outcomePath(object.tid)
    case 'permission':
      return permissionOutcomePath(object.rid)
    case 'dispute':
      return disputePath(object.id)
    case 'report':
      return reportPath(object.report.ledger, object.report.number)
    case 'settlement':
      return settlementPath(object.settlement.serial)
    case 'destination':
    case 'notice':
    case 'scan':
    case 'test':
      return null
  }
}

/**
 * Whether the object is sent. Over http only objects without a URI of their own are: scans, tests
 * and texts for displays. Anybody may listen to a public channel, so that hears of scans only.
 */
const isSent = (
  { isSafeChannel }: MessageNeeds,
  { about }: CallbackObject,
  destination: string,
): boolean => {
  if (about === 'scan') return true
  if (channelOf(destination) !== undefined) return isSafeChannel(destination)
  return about === 'test' || about === 'display' || /^https:/i.test(destination)
}

const encodeObject = async (
  needs: MessageNeeds,
  object: CallbackObject,
  at: Instant,
): Promise<unknown> => {
  const { links, reportHolding } = needs
  switch (object.about) {
    case 'test':
      return { text: 'Hello World' }
    case 'scan':
      return { id: needs.scanToken(object.scan), argstring: object.argstring }
    case 'destination': {
      const { destination, failingSince, problem } = object.destination
      return { callback_address: destination, failing_since: failingSince, problem }
    }
    case 'notice': {
      const { kind, about, money, until } = object.notice
      const { currency, amount } = money ?? {}
      const left = currency === undefined ? null : formatAmount(amount ?? 0, currency)
      return { kind, about, currency: currency ?? null, amount: left, date_until: until }
    }
    case 'display':
      return { text: object.text }
    case 'report': {
      const { completion: sums, ...about } = object.report
      return reportView(needs, { ...about, status: 'closed', sums }, at)
    }
    case 'settlement': {
      const { made, ...about } = object.settlement
      return settlementView(needs, about, made, at)
    }
    case 'dispute':
      return disputeView(links, await object.show())
    case 'permission': {
      const view = await object.show()
      return permissionOutcomeView(view, await reportOfPermission(links, reportHolding)(view))
    }
    case 'payment': {
      const view = await object.show()
      const report = await reportOfLine(links, reportHolding)(view.outcome)
      return outcomeView(view, report, needs.attachmentLink(view.outcome, at))
    }
  }
}

/** Makes the JSON text of callbacks (interface 13). */
export const callbackMessages =
  (needs: MessageNeeds) => async (message: Message, destination: string) => {
    const { event: name, seqno } = message
    if (!isCallbackName(name)) throw new Error(`${name} is no event of callbacks`)
    const { id, at, merchant, traceparent, object } = await needs.tellEvent(message)
    const path = pathOf(object)
    const uri = path === null ? null : needs.links.full(path)
    const encoded = isSent(needs, object, destination)
      ? await encodeObject(needs, object, at)
      : undefined
    const meta = { id, event: name, timestamp: at, seqno, uri, merchant_id: merchant }
    const text = JSON.stringify(callbacks[name].message.parse({ meta, object: encoded }))
    return { text, traceparent }
  }
