import { start, type EventStore, type RecordedEvent } from '../application/event-store.ts'
import type { Instant } from '../domain/time.ts'
import { fail } from '../infrastructure/failures.ts'
import { nowByLog } from '../infrastructure/event-store/service-clock.ts'
import type { Settings } from '../infrastructure/settings.ts'
import { openStoreToRead, type OpenedStore } from '../infrastructure/stores.ts'

export const line = (value: object): boolean => process.stdout.write(`${JSON.stringify(value)}\n`)

/** Reads a log, or a copy of one, without a service. */
export const withStore = async (
  settings: Settings,
  read: (store: OpenedStore) => Promise<void>,
): Promise<void> => {
  const store = await openStoreToRead(settings)
  try {
    await read(store)
  } finally {
    await store.close()
  }
}

/** @throws OperatorError if the moment is later than now, by the service's clock */
export const checkHasCome = async (store: EventStore, at: Instant): Promise<void> => {
  const now = await nowByLog(store)
  const time = (instant: Instant) => new Date(instant).toISOString()
  if (at > now) fail(`${time(at)} has not come yet: it is ${time(now)}`)
}

const withId = async ({ readAll }: OpenedStore, id: string) => {
  for await (const batch of readAll(start)) {
    const found = batch.find((event) => event.id === id)
    if (found) return found
  }
  return undefined
}

/** An event by its position, its id, or its stream and revision. @throws OperatorError */
export const eventNamed = async (store: OpenedStore, name: string): Promise<RecordedEvent> => {
  const [, stream, revision = ''] = /^(.+-.*)@(\d{1,9})$/s.exec(name) ?? []
  const [inStream] = stream === undefined ? [] : await store.readStream(stream, Number(revision), 1)
  const found = /^\d{1,15}$/.test(name)
    ? await store.readAt(Number(name))
    : (inStream ?? (await withId(store, name)))
  return found ?? fail(`there is no event ${name}: give a position, an id, or <stream>@<revision>`)
}
