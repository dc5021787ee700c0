import { z } from 'zod'
import { eventCatalogue, isEventType, metadata, type EventType } from './events.ts'
import { instant, clockToleranceMs, type Instant } from './time.ts'

/**
 * The time of the log after an event recorded at `at`. Background work stamps its events when it
 * begins, so an event may lie slightly before the log's time. If it lies further back, the clock
 * was set back.
 */
export const logTimeAfter = (logTime: Instant, at: Instant): Instant =>
  at < logTime && logTime - at <= clockToleranceMs ? logTime : at

/** Whether a UUID is of version 8 (RFC 9562, 5.8), which events have. */
export const isTimed = (id: string): boolean => id.charAt(14) === '8'

/** The time that an event's id begins with, in ms since 1970; undefined for earlier ids. */
export const timeOfEventId = (id: string): number | undefined => {
  const time = isTimed(id) ? parseInt(id.slice(0, 8) + id.slice(9, 13), 16) : NaN
  return Number.isNaN(time) ? undefined : time
}

type Shape = {
  readonly description?: string
  readonly properties?: Readonly<Record<string, Shape>>
  readonly items?: Shape
  readonly anyOf?: readonly Shape[]
}

const { description: ofInstants } = z.toJSONSchema(instant)

const ofMetadata = z.toJSONSchema(metadata) as Shape

const ofData = new Map<EventType, Shape>()

const shapeOf = (type: EventType): Shape => {
  const known = ofData.get(type)
  if (known) return known
  const shape = z.toJSONSchema(eventCatalogue[type]) as Shape
  ofData.set(type, shape)
  return shape
}

const isoIn = (shape: Shape | undefined, value: unknown): unknown => {
  if (typeof value === 'number') {
    const shapes = [shape, ...(shape?.anyOf ?? [])]
    const isTime = shapes.some((one) => one?.description === ofInstants)
    return isTime ? new Date(value).toISOString() : value
  }
  if (Array.isArray(value)) return value.map((one) => isoIn(shape?.items, one))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, own]) => [name, isoIn(shape?.properties?.[name], own)]),
  )
}

/** An event as stored, with its times as ISO 8601 instead of milliseconds since 1970. */
export const withIsoTimes = <
  Stored extends { readonly type: string; readonly data: object; readonly metadata: object },
>(
  event: Stored,
): Stored => ({
  ...event,
  data: isoIn(isEventType(event.type) ? shapeOf(event.type) : undefined, event.data),
  metadata: isoIn(ofMetadata, event.metadata),
})
