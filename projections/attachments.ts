import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3'
import { sqliteTable, text } from 'drizzle-orm/sqlite-core'
import type { Attachment } from '../domain/merchant/attachment.ts'
import { idIn } from '../domain/stream.ts'
import type { Instant } from '../domain/time.ts'
import { findBy } from './prepared.ts'
import { projection } from './projection.ts'

export type AttachmentEntry = Attachment & { readonly at: Instant }

/** Attachments of each payment, in order. */
const attachments = sqliteTable('attachments', {
  tid: text().primaryKey(),
  entries: text({ mode: 'json' }).$type<readonly AttachmentEntry[]>().notNull(),
})

export const attachmentProjection = projection({
  table: attachments,
  handles: ['AttachmentsUploaded'],
  keyOf: ({ stream }) => idIn(stream),
  apply: (row, { stream, data, metadata: { at } }) => {
    const added = data.attachments.map((attachment) => ({ ...attachment, at }))
    return { tid: idIn(stream), entries: [...(row?.entries ?? []), ...added] }
  },
})

export const attachmentQueries = (db: BetterSQLite3Database) => {
  const find = findBy(db, attachments, attachments.tid)
  return {
    /** Oldest first. */
    of: (tid: string): readonly AttachmentEntry[] => find(tid)?.entries ?? [],
  }
}
