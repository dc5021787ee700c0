import { z } from 'zod'
import type { Context } from '../../application/handle.ts'
import type { QueueRow } from '../../application/callback-queue.ts'
import type { Attempt, Message } from '../../domain/callback.ts'
import { refuse } from '../../domain/refusal.ts'
import {
  foldedAs,
  messageStatuses,
  statusOf,
  type CallbackMessageRow,
} from '../../projections/callback-message-table.ts'
import type { Queries } from '../../projections/read-models.ts'
import { merchantPrefix, type Links } from '../addresses.ts'
import { callerOf, contextOf, type Call } from '../call.ts'
import { listQuery, pageSize, writeCursor } from '../lists.ts'
import { recordMessageReading, type RecordingNeeds } from '../personal-data.ts'
import { type Route, routesOf } from '../route.ts'
import {
  attemptView,
  callbackDetail,
  callbackList,
  statusMeaning,
  summaryView,
  subjectsOf,
} from './callback-reply.ts'

export const callbackPath = `${merchantPrefix}/callback/`

export const ofCallbacks = routesOf({ access: 'SECRET', group: 'Callback' })

export type CallbackNeeds = RecordingNeeds & {
  readonly links: Links
  readonly caughtUp: () => Promise<void>
  readonly callbackMessages: Pick<Queries['callbacks']['messages'], 'find' | 'list'> & {
    listAbout(
      subject: string,
      before: number,
      limit: number,
    ): Promise<readonly CallbackMessageRow[]>
  }
  readonly findQueue: (subject: string) => QueueRow | undefined
  readonly attemptsOf: (id: string) => Promise<readonly Attempt[]>
  /** The JSON text that goes to an address. */
  readonly wordCallback: (message: Message, uri: string) => Promise<string>
  readonly retryCallback: (row: CallbackMessageRow, context: Context) => Promise<void>
}

const query = listQuery.extend({
  resource: z
    .string()
    .max(1000)
    .optional()
    .meta({ description: 'The URI of a resource, or its id.' }),
  status: z.enum(messageStatuses).optional().meta({ description: statusMeaning }),
})

type ListQuery = z.output<typeof query>

/** Newest first. */
const rowsFor =
  ({ callbackMessages }: CallbackNeeds, merchant: string, { resource, status }: ListQuery) =>
  async (before: number, limit: number): Promise<readonly CallbackMessageRow[]> => {
    const statuses = status && foldedAs(status)
    if (resource === undefined) return callbackMessages.list(merchant, statuses, before, limit)
    const bySubject = subjectsOf(resource, merchant).map((subject) =>
      callbackMessages.listAbout(subject, before, limit),
    )
    return (await Promise.all(bySubject))
      .flat()
      .filter((row) => row.merchant === merchant && (status ?? statusOf(row)) === statusOf(row))
      .toSorted((a, b) => b.place - a.place)
      .slice(0, limit)
  }

const nextLink = (links: Links, { resource, status }: ListQuery, place: number): string => {
  const next = { next: writeCursor(place) }
  const filters = { ...(resource !== undefined && { resource }), ...(status && { status }) }
  return links.inBody(`${callbackPath}?${new URLSearchParams({ ...filters, ...next })}`)
}

const listRoute = (needs: CallbackNeeds): Route =>
  ofCallbacks.get(callbackPath, {
    summary: 'List your callbacks',
    query,
    reply: callbackList,
    handle: async (call) => {
      await needs.caughtUp()
      const find = rowsFor(needs, callerOf(call).merchant, call.query)
      const found = await find(call.query.next ?? Number.MAX_SAFE_INTEGER, pageSize + 1)
      const rows = found.slice(0, pageSize)
      const last = found.length > pageSize ? rows.at(-1) : undefined
      return {
        uris: rows.map(({ id }) => needs.links.inBody(`${callbackPath}${id}/`)),
        next: last ? nextLink(needs.links, call.query, last.place) : null,
        callbacks: rows.map((row) => summaryView(needs, row)),
      }
    },
  })

/** What has become of a merchant's callbacks (interface 13.7). */
export const callbackRoutes = (needs: CallbackNeeds): Route[] => {
  const params = z.object({ callback_id: z.string().max(100) })

  const own = async (call: Call<z.output<typeof params>>): Promise<CallbackMessageRow> => {
    await needs.caughtUp()
    const row = needs.callbackMessages.find(call.params.callback_id)
    return row?.merchant === callerOf(call).merchant ? row : refuse('resource_is_unknown')
  }

  return [
    listRoute(needs),
    ofCallbacks.get(`${callbackPath}:callback_id/`, {
      summary: 'Read a callback with its attempts',
      params,
      reply: callbackDetail,
      handle: async (call) => {
        const row = await own(call)
        const attempts = await needs.attemptsOf(row.id)
        const view = summaryView(needs, row)
        // Without an address it stands in the feed, with its object.
        const uri = attempts.at(-1)?.uri ?? view.callback_uri ?? 'https:'
        const body = await needs.wordCallback(row, uri)
        const read = { about: row.subject, message: JSON.parse(body) as object }
        recordMessageReading(needs, call, callerOf(call), read)
        return { ...view, attempts: attempts.map(attemptView), body }
      },
    }),
    ofCallbacks.post(`${callbackPath}:callback_id/retry/`, {
      summary: 'Send a callback now, delivered or not',
      params,
      errors: { 409: 'Its resource has no address.' },
      handle: async (call) => {
        await needs.retryCallback(await own(call), contextOf(call))
      },
    }),
  ]
}
