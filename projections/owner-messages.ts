import { asc, gt } from 'drizzle-orm'
import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3'
import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import type { DomainEvent } from '../domain/events.ts'
import { isOfFactors } from '../domain/people/payer-state.ts'
import { idIn } from '../domain/stream.ts'
import { param, rowsOf } from './prepared.ts'
import { projection } from './projection.ts'

/** What owners are still to be notified of. */
const ownerMessages = sqliteTable(
  'owner_messages',
  {
    /** The stream and revision of the event that it is about. */
    cause: text().primaryKey(),
    kind: text({ enum: ['account', 'owner', 'factors', 'notice', 'news', 'sign_in'] }).notNull(),
    position: integer().notNull(),
    /** Null if it is about a person. */
    merchant: text(),
    /** The kind of a notice, the topic of news, or why a change is withdrawn; else empty. */
    detail: text().notNull(),
    at: integer().notNull(),
  },
  (row) => [index('owner_messages_by_time').on(row.at)],
)

export type OwedMessage = typeof ownerMessages.$inferSelect

const handles = [
  'AccountChangeAsked',
  'AccountChangeAnnounced',
  'AccountChangeWithdrawn',
  'OwnerChangeAsked',
  'OwnerChangeAnnounced',
  'OwnerChangeWithdrawn',
  'PayerNumberProved',
  'PayerCredentialsChanged',
  'PayerSignedIn',
  'NoticeRaised',
  'StaffMessageOwed',
  'OwnersNotified',
] as const

type Handled = Extract<DomainEvent, { readonly type: (typeof handles)[number] }>

/** Undefined if nobody is to be notified, or everybody has been. */
const messageOf = (event: Handled): Pick<OwedMessage, 'kind' | 'detail'> | undefined => {
  switch (event.type) {
    case 'AccountChangeAsked':
      return { kind: 'account', detail: '' }
    case 'OwnerChangeAsked':
      return { kind: 'owner', detail: '' }
    case 'AccountChangeWithdrawn':
    case 'OwnerChangeWithdrawn': {
      const kind = event.type === 'OwnerChangeWithdrawn' ? 'owner' : 'account'
      return event.data.why && { kind, detail: event.data.why }
    }
    case 'PayerNumberProved':
      return { kind: 'factors', detail: '' }
    case 'PayerCredentialsChanged':
      return isOfFactors(event.data.what) ? { kind: 'factors', detail: '' } : undefined
    case 'PayerSignedIn':
      return event.data.notify && { kind: 'sign_in', detail: '' }
    case 'StaffMessageOwed':
      return { kind: 'news', detail: event.data.topic }
    case 'NoticeRaised':
      return { kind: 'notice', detail: event.data.kind }
    case 'AccountChangeAnnounced':
    case 'OwnerChangeAnnounced':
    case 'OwnersNotified':
      return undefined
  }
}

export const ownerMessageProjection = projection({
  table: ownerMessages,
  handles,
  keyOf: ({ type, stream, revision }) => {
    if (type === 'OwnersNotified' || type === 'StaffMessageOwed') return idIn(stream)
    // Earlier versions recorded so that owners were told of the event before.
    return `${stream}@${type.endsWith('Announced') ? revision - 1 : revision}`
  },
  apply: (row, event, key) => {
    const { position, metadata } = event
    if (event.type === 'OwnersNotified' && event.data.left > 0) return row
    const message = messageOf(event)
    const { merchant, at } = metadata
    return message && { cause: String(key), position, merchant, at, ...message }
  },
})

export const ownerMessageQueries = (db: BetterSQLite3Database) => {
  const { all } = rowsOf(db, ownerMessages, {
    where: [gt(ownerMessages.at, param('since'))],
    order: [asc(ownerMessages.at)],
    limit: param('limit'),
  })
  return { since: (since: number, limit: number) => all({ since, limit }) }
}
