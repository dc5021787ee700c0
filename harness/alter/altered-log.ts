import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import type { JsonObject } from '../../application/event-store.ts'
import { schemaVersion, type DomainEvent, type Metadata } from '../../domain/events.ts'
import { verifyLog, type Audit, type AuditOptions } from '../../audit/verify/verify-log.ts'
import { leafHash } from '../../infrastructure/event-store/event-entry.ts'
import { readSettings } from '../../infrastructure/settings.ts'
import Database from '../../infrastructure/sqlite.ts'
import { openStore, openStoreToRead } from '../../infrastructure/stores.ts'

/** Audits the log in a folder, as `daybook audit verify` does. */
export const verifyIn = async (folder: string, options: AuditOptions = {}): Promise<Audit> => {
  const settings = readSettings({ DATA_DIR: folder })
  const store = await openStoreToRead(settings)
  try {
    return await verifyLog(store, settings, options)
  } finally {
    await store.close()
  }
}

/** The file of events, opened by somebody who lets nothing stand in the way. */
export const openFile = (folder: string): Database.Database => {
  const file = new Database(join(folder, 'events.sqlite'))
  const triggers = file.prepare("SELECT name FROM sqlite_schema WHERE type = 'trigger'").pluck()
  for (const name of triggers.all()) file.exec(`DROP TRIGGER "${String(name)}"`)
  return file
}

type Stored = {
  readonly stream: string
  readonly revision: number
  readonly id: string
  readonly type: string
  readonly data: string
  readonly metadata: string
}

/** Makes the checksum of a row anew, so that nobody sees by it that the row was changed. */
export const seal = (file: Database.Database, position: number): void => {
  const row = file
    .prepare<[number], Stored>(
      `SELECT name AS stream, revision, lower(hex(events.id)) AS id, type, data, metadata
       FROM events JOIN streams ON streams.id = events.stream WHERE position = ?`,
    )
    .get(position)
  if (!row) throw new Error(`there is no event ${position}`)
  file.prepare('UPDATE events SET checksum = ? WHERE position = ?').run(leafHash(row), position)
}

type Found = { readonly position: number; readonly data: JsonObject; readonly metadata: JsonObject }
type Change = {
  readonly data?: (data: any) => object
  readonly metadata?: (metadata: any) => object
}

/** The events of a type, first to last. */
export const eventsOf = (folder: string, type: DomainEvent['type']): Found[] => {
  const file = new Database(join(folder, 'events.sqlite'), { readonly: true })
  const rows = file
    .prepare<[string], { position: number; data: string; metadata: string }>(
      'SELECT position, data, metadata FROM events WHERE type = ? ORDER BY position',
    )
    .all(type)
  file.close()
  return rows.map(({ position, data, metadata }) => ({
    position,
    data: JSON.parse(data) as JsonObject,
    metadata: JSON.parse(metadata) as JsonObject,
  }))
}

/** Writes an event as if it had been recorded otherwise, checksum and all. */
export const rewrite = (folder: string, position: number, { data, metadata }: Change): void => {
  const file = openFile(folder)
  const read = (column: string) =>
    JSON.parse(
      String(file.prepare(`SELECT ${column} FROM events WHERE position = ?`).pluck().get(position)),
    ) as object
  const write = (column: string, value: object) =>
    file
      .prepare(`UPDATE events SET ${column} = ? WHERE position = ?`)
      .run(JSON.stringify(value), position)
  if (data) write('data', data(read('data')))
  if (metadata) write('metadata', metadata(read('metadata')))
  seal(file, position)
  file.close()
}

/** Appends an event that no command led to; returns its position. */
export const appendTo = async (
  folder: string,
  stream: string,
  { type, data }: DomainEvent,
  given: Partial<Metadata> = {},
): Promise<number> => {
  const store = await openStore(readSettings({ DATA_DIR: folder }))
  try {
    const before = await store.readStream(stream)
    const about = { merchant: 'sandbox', actor: 'daybook', correlationId: 'c', causationId: null }
    const last = before.at(-1)?.metadata as Metadata | undefined
    const metadata = { ...about, at: last?.at ?? 0, schema: schemaVersion(type), ...given }
    const event = { id: randomUUID(), type, data: data as JsonObject, metadata }
    return (await store.append(stream, [event], before.length - 1)).position
  } finally {
    await store.close()
  }
}
