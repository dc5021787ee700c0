import {
  callbackNameOf,
  displayCallbackName,
  displayMessageId,
  displayOf,
  isDisplayed,
  scanCallbackName,
} from '../domain/callback-names.ts'
import type { LoggedMessage } from '../domain/callback.ts'
import type { Recorded } from '../domain/events.ts'
import { payments } from '../domain/aggregates.ts'
import { categoryOf } from '../domain/stream.ts'
import type { Key } from './projection.ts'

/** The callback message that an event announces about a subject. */
export const announcedBy = (
  { id, type, stream, metadata }: Pick<Recorded, 'id' | 'type' | 'stream' | 'metadata'>,
  subject: Key,
): { readonly id: string; readonly event: string } | undefined => {
  if (subject === displayOf(stream))
    return isDisplayed(type) ? { id: displayMessageId(id), event: displayCallbackName } : undefined
  if (type === 'ShortlinkScanned') return { id, event: scanCallbackName }
  if (type === 'CallbackTestRequested') return { id, event: 'test_event' }
  const event = callbackNameOf(type, metadata.schema)
  return event === undefined ? undefined : { id, event }
}

/** Rank in log order: twice the position, plus one for the display's message. */
export const placeOf = ({ position, event }: Pick<LoggedMessage, 'position' | 'event'>): number =>
  position * 2 + (event === displayCallbackName ? 1 : 0)

/** The position of a message's event. */
export const positionOf = ({ place }: { readonly place: number }): number => Math.floor(place / 2)

/** Whether the message shares a row. Most messages belong to payments without an address. */
export const isGathered = ({ isAddressed, subject }: LoggedMessage): boolean =>
  !isAddressed && categoryOf(subject) === payments.category
