import { z } from 'zod'
import type { Charge } from './accounting/charge.ts'
import { feeEvents } from './accounting/fees.ts'
import { ledgerEvents } from './accounting/ledger.ts'
import { seriesEvents } from './accounting/series.ts'
import { settlementAccount } from './accounting/settlement-account.ts'
import { settlementEvents } from './accounting/settlement.ts'
import { callbackEvents } from './callback.ts'
import { clockEvents } from './clock.ts'
import { compiled } from './compiled.ts'
import type { EventsOf } from './decider.ts'
import { installationEvents } from './installation.ts'
import { attachmentEvents } from './merchant/attachment.ts'
import { integrator } from './merchant/integrator.ts'
import { merchant } from './merchant/merchant.ts'
import { pos } from './merchant/pos.ts'
import { scanEvents } from './merchant/scans.ts'
import { shortlink } from './merchant/shortlink.ts'
import { signingKey } from './merchant/signing-key.ts'
import { stickerEvents } from './merchant/sticker.ts'
import { user } from './merchant/user.ts'
import { fundingEvents } from './payment/funding.ts'
import { paymentEvents } from './payment/payment-events.ts'
import { application } from './people/application.ts'
import { authorizationEvents } from './people/authorization.ts'
import { grantEvents } from './people/grant.ts'
import { payerEvents } from './people/payer.ts'
import { permissionEvents } from './people/permission.ts'

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
  ...fundingEvents,
  ...feeEvents,
  ...ledgerEvents,
  ...settlementAccount.events,
  ...settlementEvents,
  ...seriesEvents,
  ...attachmentEvents,
  ...permissionEvents,
  ...authorizationEvents,
  ...grantEvents,
  ...application.events,
  ...callbackEvents,
} as const

/** Who, when and why of an event. */
const metadata = z.object({
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
  schema: z.int().positive(),
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
  // The ids of the first logs were scattered, and stay so: a repeated request must meet the first one.
  InstallationMade: [(data) => ({ ...(data as object), ids: 'scattered' })],
  // The first orders left it to their settlement to say what they pay.
  PayoutOrdered: [(data) => ({ ...(data as object), paid: [] })],
  // The first amendments held all details, those that stayed as they were among them: they mean the same.
  PaymentAmended: [(data) => data],
  // The first refunds did not say whether they gave back their part of the charges: those that did gave back something.
  PaymentRefunded: [
    (data) => {
      const { charge } = data as { readonly charge?: Partial<Charge> }
      const returnsFees = [charge?.fee, charge?.interchange, charge?.vat].some((sum) => sum !== 0)
      return { ...(data as object), returnsFees }
    },
  ],
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
    const known = compiled(metadata).parse(stored.metadata)
    const latest = schemaVersion(type)
    if (known.schema > latest)
      throw unreadable(stored, `it is of version ${known.schema}, this code knows up to ${latest}`)
    const current = upToDate(upcasts[type] ?? [], known.schema, stored.data)
    const data = compiled(eventCatalogue[type] as z.ZodType).parse(current)
    return { stream, revision, position, id, type, data, metadata: known } as Recorded
  } catch (error) {
    if (!(error instanceof z.ZodError)) throw error
    throw unreadable(stored, z.prettifyError(error).replaceAll(/\s*\n\s*/g, ' '))
  }
}
