import { z } from 'zod'
import type { Message } from '../../domain/callback.ts'
import type { CallbackMessageRow } from '../../projections/callback-message-table.ts'
import type { Queries } from '../../projections/read-models.ts'
import type { Authenticate } from '../access.ts'
import { callerOf } from '../call.ts'
import { readCursor, writeCursor } from '../lists.ts'
import { recordMessageReading, type RecordingNeeds } from '../personal-data.ts'
import { type Route } from '../route.ts'
import { callbackPath, ofCallbacks } from './callback.ts'

const pageSize = 100
const longestWait = 30

const cursor = z
  .string()
  .transform((text, context) => {
    if (text === 'now') return text
    const place = readCursor(text)
    if (place !== undefined) return place
    context.addIssue('Is no cursor of this service.')
    return z.NEVER
  })
  .optional()
  .meta({
    description:
      'Opaque: `next` of the answer before. Absent: from the first message; `now`: later ones.',
  })

const seconds = z
  .string()
  .regex(/^\d{1,2}$/, 'Must be a whole number of seconds, at most 30.')
  .transform(Number)
  .pipe(z.int().max(longestWait))
  .default(0)
  .meta({ description: 'Seconds to wait for a message when there is none.' })

const feed = z
  .object({
    messages: z.array(
      z.record(z.string(), z.unknown()).meta({
        id: 'FeedMessage',
        description: 'As it is sent over https: `meta` and `object` (see the webhooks).',
      }),
    ),
    next: z.string().meta({ description: 'The cursor to go on with, always.' }),
  })
  .meta({ id: 'CallbackFeed' })

type CallbackFeedNeeds = RecordingNeeds & {
  readonly authenticate: Authenticate
  readonly caughtUp: () => Promise<void>
  readonly callbackMessages: Pick<Queries['callbacks']['messages'], 'after' | 'lastPlace'>
  readonly untilMessage: (merchant: string, after: number, milliseconds: number) => Promise<void>
  readonly wordCallback: (message: Message, uri: string) => Promise<string>
}

/** For those who would rather ask than be told (interface 13.8). */
export const callbackFeedRoute = (needs: CallbackFeedNeeds): Route => {
  const { caughtUp, callbackMessages } = needs
  return ofCallbacks.get(`${callbackPath}feed/`, {
    summary: 'Read your messages in order, or wait for the next',
    description:
      'Every message, whether or not it had an address and whatever became of its delivery.',
    query: z.object({ after: cursor, wait: seconds }),
    reply: feed,
    handle: async (call) => {
      const { merchant } = callerOf(call)
      await caughtUp()
      const { after: from = 0, wait } = call.query
      const after = from === 'now' ? callbackMessages.lastPlace(merchant) : from
      const rows = () => callbackMessages.after(merchant, after, pageSize)
      if (wait > 0 && rows().length === 0) {
        await needs.untilMessage(merchant, after, wait * 1000)
        // Whoever was shut out while it waited is told nothing.
        await needs.authenticate('SECRET', call.request)
      }
      const found = rows()
      const wordOne = async (row: CallbackMessageRow): Promise<Record<string, unknown>> => {
        const text = await needs.wordCallback(row, 'https:')
        const message = JSON.parse(text) as Record<string, unknown>
        recordMessageReading(needs, call, callerOf(call), { about: row.subject, message })
        return message
      }
      return {
        messages: await Promise.all(found.map(wordOne)),
        next: writeCursor(found.at(-1)?.place ?? after),
      }
    },
  })
}
