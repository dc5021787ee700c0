import {
  type Group,
  route,
  type AccessLevel,
  type FindFurtherFaults,
  type Route,
} from '../route.ts'
import { z } from 'zod'
import type { Handle } from '../../application/handle.ts'
import type { Aggregate } from '../../application/find-state.ts'
import type { Changes, Entry, RegisterCommand } from '../../domain/register.ts'
import { refuse, Refusal } from '../../domain/refusal.ts'
import { streamOf } from '../../domain/stream.ts'
import type { Links } from '../addresses.ts'
import { callerOf, contextOf, type Call } from '../call.ts'
import { listRoute } from '../lists.ts'
import type { Fitting } from '../validation.ts'
import { createdReply } from '../wire.ts'

export type RegisterNeeds = {
  readonly handle: Handle
  readonly links: Links
  readonly caughtUp: () => Promise<void>
}

type Owned = { readonly id: string; readonly merchant: string }

type Row<Data> = { readonly position: number; readonly data: Data }

/** What differs between the registers of a merchant. */
type Register<
  Data extends Owned,
  Event extends { readonly type: string; readonly data: object },
  Input,
  Update,
  Reply,
> = {
  readonly aggregate: Aggregate<RegisterCommand<Data>, Event, Entry<Data>>
  readonly rows: {
    find(stream: string): Row<Data> | undefined
    list(merchant: string, before: number, limit: number): readonly Row<Data>[]
  }
  readonly path: string
  /** Name of the id in the path. */
  readonly param: string
  readonly group: Group
  /** As in "Read a point of sale" and "List the points of sale". */
  readonly one: string
  readonly many: string
  /** The methods that exist, and the level each needs. */
  readonly access: Readonly<Record<'create' | 'read' | 'change', AccessLevel>> &
    Partial<Readonly<Record<'list' | 'remove', AccessLevel>>>
  readonly aboutRemoval?: string
  /** Meanings of further errors of POST, PUT and DELETE. */
  readonly errors?: Readonly<Record<number, string>>
  /** Any other id is not found. */
  readonly id: z.ZodType<string>
  readonly input: z.ZodType<Input>
  readonly update: z.ZodType<Update>
  readonly reply: z.ZodType<unknown, Reply>
  /** The stream's id. */
  readonly keyOf: (merchant: string, id: string) => string
  /** The new entry of a POST, with its id. */
  readonly created: (call: Call<unknown, unknown, Input>) => Data | Promise<Data>
  /** The changes of a PUT. */
  readonly changes: (
    call: Call<unknown, unknown, Update>,
    id: string,
  ) => Changes<Data> | Promise<Changes<Data>>
  /** Lets an order go on when the caller may, with what it has to know besides. */
  readonly deciding?: (
    call: Call,
    id: string,
    goOn: (facts: object) => Promise<void>,
  ) => Promise<void>
  /** What else POST answers; by default only the id. */
  readonly createdReply?: typeof createdReply
  readonly tellCreated?: (data: Data, call: Call) => Promise<object>
  readonly view: (data: Data) => Reply
  /** What else is wrong with a body of POST that has faults. */
  readonly faultsOfCreated?: FindFurtherFaults<unknown, Fitting<Input>>
  /** The same of PUT. */
  readonly faultsOfChanges?: FindFurtherFaults<Record<string, unknown>, Fitting<Update>>
}

/** The generic routes of a register: list, POST, GET, PUT and DELETE. */
export const registerRoutes = <
  Data extends Owned,
  Event extends { readonly type: string; readonly data: object },
  Input,
  Update,
  Reply,
>(
  { handle, links, caughtUp }: RegisterNeeds,
  register: Register<Data, Event, Input, Update, Reply>,
): Route[] => {
  const { aggregate, rows, path, param, group, one, many, access, keyOf } = register
  const detailPath = (id: string): string => `${path}${encodeURIComponent(id)}/`
  const detail = { path: `${path}:${param}/`, params: z.object({ [param]: register.id }), group }
  const errors = register.errors && { errors: register.errors }
  const deciding = register.deciding ?? (async (_call, _id, goOn) => goOn({}))
  const idIn = ({ params }: Call<Record<string, unknown>>): string => String(params[param])

  const list = (level: AccessLevel): Route =>
    listRoute({
      path,
      access: level,
      group,
      summary: `List the ${many}`,
      links,
      caughtUp,
      list: (merchant, before, limit) => rows.list(merchant, before, limit),
      pathOf: ({ data }) => detailPath(data.id),
    })

  const remove = (level: AccessLevel): Route =>
    route({
      ...detail,
      method: 'DELETE',
      access: level,
      summary: `Delete ${one}`,
      ...(register.aboutRemoval === undefined ? {} : { description: register.aboutRemoval }),
      ...errors,
      handle: async (call) => {
        const { merchant } = callerOf(call)
        const id = idIn(call)
        await deciding(call, id, async (facts) => {
          const command = { type: 'Remove', merchant, ...facts } as const
          await handle(aggregate, keyOf(merchant, id), command, contextOf(call))
        })
      },
    })

  const create = async (call: Call<unknown, unknown, Input>): Promise<Data> => {
    const data = await register.created(call)
    const key = keyOf(data.merchant, data.id)
    await deciding(call, data.id, async (facts) => {
      await handle(aggregate, key, { type: 'Register', data, ...facts }, contextOf(call))
    })
    return data
  }

  return [
    ...(access.list ? [list(access.list)] : []),
    route({
      method: 'POST',
      path,
      access: access.create,
      group,
      summary: `Register ${one}`,
      body: register.input,
      success: 'created',
      ...errors,
      reply: register.createdReply ?? createdReply,
      furtherFaults: register.faultsOfCreated,
      handle: async (call) => {
        const data = await create(call).catch((error: unknown) => {
          if (!(error instanceof Refusal) || error.code !== 'id_used_with_other_data') throw error
          // The same request may have won a race; try again to find its entry.
          return create(call)
        })
        const { id } = data
        const further = await register.tellCreated?.(data, call)
        return { location: links.full(detailPath(id)), value: { id, ...further } }
      },
    }),
    route({
      ...detail,
      method: 'GET',
      access: access.read,
      summary: `Read ${one}`,
      reply: register.reply,
      handle: async (call) => {
        await caughtUp()
        const { merchant } = callerOf(call)
        const row = rows.find(streamOf(aggregate, keyOf(merchant, idIn(call))))
        if (row?.data.merchant !== merchant) return refuse('resource_is_unknown')
        return register.view(row.data)
      },
    }),
    route({
      ...detail,
      method: 'PUT',
      access: access.change,
      summary: `Change ${one}`,
      body: register.update,
      ...errors,
      furtherFaults: register.faultsOfChanges,
      handle: async (call) => {
        const { merchant } = callerOf(call)
        const id = idIn(call)
        await deciding(call, id, async (facts) => {
          const changes = await register.changes(call, id)
          const command = { type: 'Change', merchant, changes, ...facts } as const
          await handle(aggregate, keyOf(merchant, id), command, contextOf(call))
        })
      },
    }),
    ...(access.remove ? [remove(access.remove)] : []),
  ]
}
