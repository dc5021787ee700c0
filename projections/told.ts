import {
  callbackNameOf,
  displayCallbackName,
  displayMessageId,
  displayOf,
  isDisplayed,
  scanCallbackName,
} from '../domain/callback-names.ts'
import type { Recorded } from '../domain/events.ts'
import type { Key } from './projection.ts'

/** The message that an event tells of a subject. */
export const toldBy = (
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
