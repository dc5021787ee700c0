import { z } from 'zod'
import { poses, within } from '../application/aggregates.ts'
import { streamOf, type Handle } from '../application/handle.ts'
import { refuse } from '../domain/refusal.ts'
import { posTypes } from '../domain/pos.ts'
import { merchantPrefix, type Links } from './addresses.ts'
import { listPage, listQuery, listReply } from './lists.ts'
import { callerOf, contextOf, route, type Route } from './route.ts'
import { chosenId } from './wire.ts'

const locationInput = z
  .object({
    latitude: z.number().min(-90).max(90).nullable().default(null),
    longitude: z.number().min(-180).max(180).nullable().default(null),
    accuracy: z.number().min(0).nullable().default(null).meta({ description: 'Meters.' }),
  })
  .meta({ id: 'Location' })

const posUpdate = z
  .object({
    name: z.string().min(1).max(100).meta({ description: 'Shown to the payer.' }),
    type: z.enum(posTypes),
    location: locationInput.nullable().default(null),
  })
  .meta({ id: 'PosUpdate' })

const posId = chosenId(z.string().min(1))
const posInput = posUpdate.extend({ id: posId }).meta({ id: 'PosInput' })

const posReply = z
  .object({
    id: z.string(),
    name: z.string(),
    type: z.string(),
    location: z
      .object({
        latitude: z.number().nullable(),
        longitude: z.number().nullable(),
        accuracy: z.number().nullable(),
      })
      .nullable(),
  })
  .meta({ id: 'Pos' })

const posParams = z.object({ pos_id: posId })

type PosRow = { readonly position: number; readonly data: z.output<typeof posReply> }

export type PosNeeds = {
  readonly handle: Handle
  readonly links: Links
  readonly caughtUp: () => Promise<void>
  readonly poses: {
    find(stream: string): PosRow | undefined
    list(merchant: string, before: number, limit: number): readonly PosRow[]
  }
}

const listPath = `${merchantPrefix}/pos/`
const detailPath = (id: string): string => `${listPath}${encodeURIComponent(id)}/`

/** Points of sale (the document's `/pos/`). */
export const posRoutes = ({ handle, links, caughtUp, poses: rows }: PosNeeds): Route[] => [
  route({
    method: 'GET',
    path: listPath,
    access: 'SECRET',
    group: 'POS',
    summary: 'List the points of sale',
    query: listQuery,
    success: 'value',
    reply: listReply,
    handle: async (call) => {
      const { merchant } = callerOf(call)
      await caughtUp()
      const list = (before: number, limit: number) => rows.list(merchant, before, limit)
      return listPage(links, listPath, call.query.next, list, ({ data }) => detailPath(data.id))
    },
  }),
  route({
    method: 'POST',
    path: listPath,
    access: 'SECRET',
    group: 'POS',
    summary: 'Register a point of sale',
    body: posInput,
    success: 'created',
    handle: async (call) => {
      const { merchant } = callerOf(call)
      const { id } = call.body
      const command = { type: 'Register', data: { merchant, ...call.body } } as const
      await handle(poses, within(merchant, id), command, contextOf(call))
      return { location: links.full(detailPath(id)) }
    },
  }),
  route({
    method: 'GET',
    path: `${listPath}:pos_id/`,
    access: 'SECRET',
    group: 'POS',
    summary: 'Read a point of sale',
    params: posParams,
    success: 'value',
    reply: posReply,
    handle: async (call) => {
      await caughtUp()
      const id = within(callerOf(call).merchant, call.params.pos_id)
      return rows.find(streamOf(poses, id))?.data ?? refuse('resource_is_unknown')
    },
  }),
  route({
    method: 'PUT',
    path: `${listPath}:pos_id/`,
    access: 'SECRET',
    group: 'POS',
    summary: 'Change a point of sale',
    params: posParams,
    body: posUpdate,
    success: 'nothing',
    handle: async (call) => {
      const { merchant } = callerOf(call)
      const id = call.params.pos_id
      const command = { type: 'Change', data: { merchant, id, ...call.body } } as const
      await handle(poses, within(merchant, id), command, contextOf(call))
    },
  }),
  route({
    method: 'DELETE',
    path: `${listPath}:pos_id/`,
    access: 'KEY',
    group: 'POS',
    summary: 'Delete a point of sale',
    description: 'It takes no new requests; its running ones go on.',
    params: posParams,
    success: 'nothing',
    handle: async (call) => {
      const id = within(callerOf(call).merchant, call.params.pos_id)
      await handle(poses, id, { type: 'Remove' }, contextOf(call))
    },
  }),
]
