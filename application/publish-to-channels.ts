import { parseEvent, type EventType } from '../domain/events.ts'
import type { Message } from '../domain/callback.ts'
import { channelOf } from '../domain/merchant/channel.ts'
import { start, type RecordedEvent } from './event-store.ts'
import { makeSerialByKey } from './serial-by-key.ts'

type Needs = {
  /** The JSON text of a message, as of its event. */
  readonly message: (message: Message, uri: string) => Promise<string>
  readonly hub: {
    readonly hasListeners: (channel: string) => boolean
    readonly publish: (channel: string, event: string, data: string) => void
    /** Makes subscribers reconnect after a missed message. */
    readonly interrupt: (channel: string) => void
  }
  readonly onFailure: (error: unknown) => void
}

const attempted = 'CallbackAttempted' satisfies EventType

/**
 * Publishes messages to channels when the log records that they were sent. Every process follows
 * the log, so each subscriber gets each message once, on any process.
 */
export const publishToChannels = ({ message, hub, onFailure }: Needs) => {
  const inOrder = makeSerialByKey()
  let published = start

  const publish = async (channel: string, about: Message, uri: string): Promise<void> => {
    try {
      hub.publish(channel, about.event, await message(about, uri))
    } catch (error) {
      onFailure(error)
      hub.interrupt(channel)
    }
  }

  /** Checked before parsing, because most events concern no channel with subscribers here. */
  const isOfListened = ({ uri }: RecordedEvent['data']): boolean => {
    const channel = typeof uri === 'string' ? channelOf(uri) : undefined
    return channel !== undefined && hub.hasListeners(channel)
  }

  return (events: readonly RecordedEvent[]): void => {
    for (const event of events) {
      // Following may resume slightly earlier.
      if (event.position <= published) continue
      published = event.position
      if (event.type !== attempted || !isOfListened(event.data)) continue
      const { data } = parseEvent(event)
      if (!('uri' in data && 'seqno' in data) || data.result !== 'delivered') continue
      const { uri, subject, revision, event: name, seqno } = data
      const channel = channelOf(uri) ?? ''
      const about = { subject, revision, event: name, seqno }
      inOrder(channel, () => publish(channel, about, uri)).catch(onFailure)
    }
  }
}
