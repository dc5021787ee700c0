import { z } from 'zod'
import { application } from './application.ts'
import { attachmentEvents } from './attachment.ts'
import { authorizationEvents } from './authorization.ts'
import { callbackEvents } from './callback.ts'
import { clockEvents } from './clock.ts'
import type { EventsOf } from './decider.ts'
import { feeEvents } from './fees.ts'
import { grantEvents } from './grant.ts'
import { installationEvents } from './installation.ts'
import { integrator } from './integrator.ts'
import { ledgerEvents } from './ledger.ts'
import { merchant } from './merchant.ts'
import { payerEvents } from './payer.ts'
import { paymentEvents } from './payment-events.ts'
import { permissionEvents } from './permission.ts'
import { pos } from './pos.ts'
import { scanEvents } from './scans.ts'
import { settlementAccount } from './settlement-account.ts'
import { settlementEvents } from './settlement.ts'
import { shortlink } from './shortlink.ts'
import { signingKey } from './signing-key.ts'
import { stickerEvents } from './sticker.ts'
import { user } from './user.ts'

/** Every event that can stand in the log: the types, the check when reading, and the auditors' catalogue. */
export const eventCatalogue = {
  ...installationEvents,
  ...clockEvents,
  ...merchant.events,
  ...user.events,
  ...pos.events,
  ...payerEvents,
  ...signingKey.events,
  ...integrator.events,
  ...shortlink.events,
  ...stickerEvents,
  ...scanEvents,
  ...paymentEvents,
  ...feeEvents,
  ...ledgerEvents,
  ...settlementAccount.events,
  ...settlementEvents,
  ...attachmentEvents,
  ...permissionEvents,
  ...authorizationEvents,
  ...grantEvents,
  ...application.events,
  ...callbackEvents,
} as const

/** Who, when and why of an event. */
export const metadata = z.object({
  /** When it was decided, by the service's clock. */
  at: z.int(),
  /** The merchant whom it concerns; null for what concerns the installation. */
  merchant: z.string().nullable(),
  /** Who caused it, as `user:pos1`, `payer:alice`, `operator` or `daybook` itself. */
  actor: z.string(),
  /** The request id under which it happened. */
  correlationId: z.string(),
  /** The event that led to it, if one did. */
  causationId: z.string().nullable(),
  /** Version of the shape of `data`: the number of upcasts of its type when it was written, plus one. */
  schema: z.int(),
})

export type DomainEvent = EventsOf<typeof eventCatalogue>
export type EventType = DomainEvent['type']
export type Metadata = z.output<typeof metadata>

/** An event as it stands in the log. */
export type Recorded<Event = DomainEvent> = Event & {
  readonly id: string
  readonly stream: string
  readonly revision: number
  readonly position: number
  readonly metadata: Metadata
}

type Upcast = (data: unknown) => unknown

/** Data of a version, brought to the shape of today by the steps from that version on; the first version is 1. */
export const upToDate = (steps: readonly Upcast[], version: number, data: unknown): unknown =>
  steps.slice(version - 1).reduce((older, step) => step(older), data)

/** How the data of older versions become those of today, step by step; the only place that knows old shapes. */
const upcasts: Partial<Record<EventType, readonly Upcast[]>> = {
  // The first orders left it to their settlement to say what they pay.
  PayoutOrdered: [(data) => ({ ...(data as object), paid: [] })],
}

export const schemaVersion = (type: EventType): number => (upcasts[type]?.length ?? 0) + 1

const isEventType = (type: string): type is EventType => Object.hasOwn(eventCatalogue, type)

type Stored = Omit<Recorded<{ type: string; data: unknown }>, 'metadata'> & {
  readonly metadata: unknown
}

/** An event that this version of the code cannot read: of an unknown type, or of another shape than it knows. */
export class UnreadableEvent extends Error {
  override readonly name = 'UnreadableEvent'
}

const unreadable = ({ type, stream, position }: Stored, problem: string): UnreadableEvent =>
  new UnreadableEvent(`event ${position}, ${type} in ${stream}, cannot be read: ${problem}`)

/** Checks an event that was read. @throws UnreadableEvent */
export const parseEvent = (stored: Stored): Recorded => {
  const { stream, revision, position, id, type } = stored
  if (!isEventType(type)) throw unreadable(stored, 'this version knows no such type')
  try {
    const known = metadata.parse(stored.metadata)
    const current = upToDate(upcasts[type] ?? [], known.schema, stored.data)
    const data = eventCatalogue[type].parse(current)
    return { stream, revision, position, id, type, data, metadata: known } as Recorded
  } catch (error) {
    if (!(error instanceof z.ZodError)) throw error
    throw unreadable(stored, z.prettifyError(error).replaceAll(/\s*\n\s*/g, ' '))
  }
}
