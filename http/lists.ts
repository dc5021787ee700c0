import { type Group, type AccessLevel, type Route, routesOf } from './route.ts'
import { z } from 'zod'
import type { Links } from './addresses.ts'
import { callerOf, searchOf, type Call } from './call.ts'

export const pageSize = 100

export const writeCursor = (position: number): string =>
  Buffer.from(String(position)).toString('base64url')

export const readCursor = (cursor: string): number | undefined => {
  const position = Number(Buffer.from(cursor, 'base64url').toString())
  const isOurs = Number.isSafeInteger(position) && writeCursor(position) === cursor
  return isOurs && position >= 0 ? position : undefined
}

/** The query of a list: without a cursor, the first page. */
export const listQuery = z.object({
  next: z
    .string()
    .transform((cursor, context) => {
      const position = readCursor(cursor)
      if (position !== undefined) return position
      context.addIssue('Is no cursor of this service.')
      return z.NEVER
    })
    .meta({ description: 'Opaque: the cursor out of `next` of the page before.' })
    .optional(),
})

export const listReply = z
  .object({ uris: z.array(z.string()), next: z.string().nullable() })
  .meta({ id: 'List', description: 'Newest first, 100 a page; `next` is null on the last page.' })

type Row = { readonly position: number }

/** The rows of a page, and the last row when another page follows. */
export const pageOf = <R extends Row>(
  before: number | undefined,
  size: number,
  list: (before: number, limit: number) => readonly R[],
) => {
  const found = list(before ?? Number.MAX_SAFE_INTEGER, size + 1)
  const rows = found.slice(0, size)
  return { rows, last: found.length > size ? rows.at(-1) : undefined }
}

/**
 * The rows of a page and a link to the next. The cursor is a log position, so a walk shows each row
 * that exists throughout exactly once.
 */
export const linkedPage = <R extends Row>(
  links: Links,
  path: string,
  from: number | undefined,
  list: (before: number, limit: number) => readonly R[],
) => {
  const { rows, last } = pageOf(from, pageSize, list)
  const next = last ? links.inBody(`${path}?next=${writeCursor(last.position)}`) : null
  return { rows, next }
}

export const listPage = <R extends Row>(
  links: Links,
  path: string,
  from: number | undefined,
  list: (before: number, limit: number) => readonly R[],
  pathOf: (row: R) => string,
) => {
  const { rows, next } = linkedPage(links, path, from, list)
  return { uris: rows.map((row) => links.inBody(pathOf(row))), next }
}

type Listed<R extends Row> = {
  readonly path: string
  readonly access: AccessLevel
  readonly group: Group
  readonly summary: string
  readonly links: Links
  readonly caughtUp: () => Promise<void>
  readonly list: (merchant: string, before: number, limit: number) => readonly R[]
  readonly pathOf: (row: R) => string
}

/** GET of a merchant's entries of one kind. */
export const listRoute = <R extends Row>(listed: Listed<R>): Route => {
  const { path, access, group, links, caughtUp, list, pathOf } = listed
  return routesOf({ access, group }).get(path, {
    summary: listed.summary,
    query: listQuery,
    reply: listReply,
    handle: async (call) => {
      const { merchant } = callerOf(call)
      await caughtUp()
      const page = (before: number, limit: number) => list(merchant, before, limit)
      return listPage(links, path, call.query.next, page, pathOf)
    },
  })
}

const sizeShape = 'Must be a number from 1 to 1000.'

/** How many elements a page has. */
export const pageSizeText = z
  .string()
  .regex(/^\d{1,4}$/, sizeShape)
  .transform(Number)
  .pipe(z.int().min(1, sizeShape).max(1_000, sizeShape))
  .default(pageSize)
  .meta({ description: 'Elements of a page: 1 to 1,000.' })

/** A cursor of named parts; `read` makes a place out of them, or undefined. */
export const cursorText = <Place>(read: (parts: readonly string[]) => Place | undefined) =>
  z
    .string()
    .max(300)
    .transform((cursor, context) => {
      const text = Buffer.from(cursor, 'base64url').toString()
      const place = cursorOf(text.split(' ')) === cursor ? read(text.split(' ')) : undefined
      if (place !== undefined) return place
      context.addIssue('Is no cursor of this service.')
      return z.NEVER
    })
    .optional()
    .meta({ description: 'Opaque: out of `next` of the page before.' })

export const cursorOf = (parts: readonly (string | number)[]): string =>
  Buffer.from(parts.join(' ')).toString('base64url')

/** The same list from a cursor on. */
export const linkFrom = (links: Links, call: Call, path: string, cursor: string): string => {
  const query = new URLSearchParams(searchOf(call))
  query.set('cursor', cursor)
  return links.inBody(`${path}?${query.toString()}`)
}
