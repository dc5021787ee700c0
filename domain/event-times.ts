import { z } from 'zod'
import { eventCatalogue, isEventType, metadata, type EventType } from './events.ts'
import { instant } from './time.ts'

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
