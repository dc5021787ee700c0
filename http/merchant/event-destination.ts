import { z } from 'zod'
import type { LimitDestinations } from '../../application/event-destinations.ts'
import type { Find } from '../../application/find-state.ts'
import type { Context } from '../../application/handle.ts'
import { callbackSecrets, eventDestinations } from '../../domain/aggregates.ts'
import { displayCallbackName } from '../../domain/callback-names.ts'
import { channelOf } from '../../domain/merchant/channel.ts'
import { secretIdOf } from '../../domain/merchant/event-destination.ts'
import { newPosId, posId } from '../../domain/merchant/pos.ts'
import { refuse } from '../../domain/refusal.ts'
import { streamOf, within } from '../../domain/stream.ts'
import type { Instant } from '../../domain/time.ts'
import type { Queries } from '../../projections/read-models.ts'
import { callbackUriText, merchantPrefix } from '../addresses.ts'
import { callerOf, contextOf, type Call } from '../call.ts'
import { type Route, routesOf } from '../route.ts'
import { createdReply, dateTime, dateTimeText, identifier } from '../wire.ts'
import { callbacks, type CallbackName } from './callback-events.ts'
import { registerRoutes, type RegisterNeeds } from './register-routes.ts'

/** Messages of the others go to an address that a request names. */
export const eventNames = (Object.keys(callbacks) as CallbackName[]).filter(
  (name) => name !== displayCallbackName && name !== 'test_event',
)

export const destinationUri = callbackUriText
  .refine((text) => channelOf(text) === undefined, 'Must be a full http or https URL.')
  .meta({ description: 'Gets messages as a `callback_uri` does: over http without the object.' })

const events = z
  .array(z.enum(['*', ...eventNames]))
  .min(1)
  .max(100)
  .meta({ description: 'Names of callback events, or `*` for all.' })

const ids = (schema: z.ZodString) =>
  z.array(schema).max(100).meta({ description: 'Only messages about these; empty for all.' })

const ledgers = ids(z.string().min(1).max(100))

const posIds = ids(identifier)

const signature = z.enum(['rsa', 'hmac']).meta({
  description:
    '`hmac`: Standard Webhooks `v1` with a secret of its own; `rsa`: signed as callbacks are.',
})

const enabled = z.boolean().meta({ description: 'While it is false, messages wait.' })

const update = z
  .object({
    uri: destinationUri.optional(),
    events: events.optional(),
    ledgers: ledgers.optional(),
    pos_ids: posIds.optional(),
    signature: signature.optional(),
    enabled: enabled.optional(),
  })
  .meta({ id: 'EventDestinationUpdate' })

const input = z
  .object({
    id: newPosId.optional().meta({ description: 'Made by the service when it is absent.' }),
    uri: destinationUri,
    events: events.default(['*']),
    ledgers: ledgers.default([]),
    pos_ids: posIds.default([]),
    signature: signature.default('hmac'),
    enabled: enabled.default(true),
  })
  .meta({ id: 'EventDestinationInput' })

const health = z.object({
  last_success: dateTime.nullable(),
  oldest_waiting: dateTime.nullable().meta({ description: 'Time of its event.' }),
  failing_since: dateTime.nullable(),
  reason: z.string().nullable().meta({ description: 'The last problem, in words.' }),
})

const reply = z
  .object({
    id: z.string(),
    uri: z.string(),
    events: z.array(z.string()),
    ledgers: z.array(z.string()),
    pos_ids: z.array(z.string()),
    signature: z.enum(['rsa', 'hmac']),
    enabled: z.boolean(),
    health,
  })
  .meta({ id: 'EventDestination' })

const addresses = z
  .object({
    addresses: z.array(
      z.object({
        kind: z.literal('address'),
        uri: z.string(),
        of: z.enum(['merchant', 'shortlink', 'request']).meta({
          description:
            '`request`: payments or reports name it; shown, to the host, while it fails.',
        }),
        enabled: z.boolean().meta({ description: 'False while it rests.' }),
        health: health.omit({ last_success: true }),
      }),
    ),
  })
  .meta({ id: 'CallbackAddresses' })

const secretText = z.string().meta({ description: 'Shown this once.' })

const created = createdReply
  .extend({ secret: secretText.nullable() })
  .meta({ id: 'EventDestinationCreated' })

export type EventDestinationNeeds = RegisterNeeds & {
  readonly find: Find
  readonly eventDestinations: Queries['callbacks']['eventDestinations']
  /** The same for the same signature, so that a repeated request makes one destination. */
  readonly newDestinationKey: (signature: string | null) => string
  readonly limitDestinations: LimitDestinations
  readonly findCallbackSecrets: (
    id: string,
    at: Instant,
  ) => Promise<readonly { readonly secret: string }[]>
  readonly replayEvents: (id: string, since: Instant, context: Context) => Promise<void>
}

const path = `${merchantPrefix}/event_destination/`

const group = 'Callback'

const unique = <Name extends string>(names: readonly Name[]): Name[] => [...new Set(names)]

const params = z.object({ event_destination_id: posId })

/** Beside those of a register: the number is limited, and the answer of POST has the secret. */
const registerOf = (needs: EventDestinationNeeds): Route[] => {
  const { find, eventDestinations: rows } = needs
  return registerRoutes(needs, {
    aggregate: eventDestinations,
    rows,
    path,
    param: 'event_destination_id',
    group,
    one: 'an event destination',
    many: 'event destinations',
    access: { list: 'SECRET', create: 'SECRET', read: 'SECRET', change: 'SECRET', remove: 'KEY' },
    aboutRemoval: 'What waits for it is not sent.',
    id: posId,
    input,
    update,
    reply,
    keyOf: within,
    deciding: (call, id, goOn) =>
      call.request.method === 'POST'
        ? needs.limitDestinations(callerOf(call).merchant, id, () => goOn({}))
        : goOn({}),
    created: async (call) => {
      const { merchant, asked } = callerOf(call)
      const { pos_ids, ...body } = call.body
      const made = needs.newDestinationKey(asked?.signature ?? null)
      const id = body.id ?? made.slice(0, 16)
      const entry = await find(eventDestinations, within(merchant, id), 'log')
      const key = entry.status === 'present' ? entry.registered.key : made
      const lists = { ledgers: unique(body.ledgers), posIds: unique(pos_ids) }
      return { ...body, ...lists, merchant, id, key, events: unique(body.events) }
    },
    createdReply: created,
    tellCreated: async ({ key, signature }, { at }) => {
      const [current] = await needs.findCallbackSecrets(secretIdOf(key), at)
      return { secret: signature === 'hmac' ? (current?.secret ?? null) : null }
    },
    changes: ({ body: { pos_ids: posIds, events, ...changes } }) => ({
      ...changes,
      posIds: posIds && unique(posIds),
      events: events && unique(events),
    }),
    view: (data) => {
      const { lastSuccess, oldestWaiting, failingSince, reason } = rows.health(data)
      const { posIds: pos_ids, id, uri, events, ledgers, signature, enabled } = data
      const times = { oldest_waiting: oldestWaiting, failing_since: failingSince }
      const health = { last_success: lastSuccess, ...times, reason }
      return { id, uri, events, ledgers, pos_ids, signature, enabled, health }
    },
  })
}

/** Event destinations (interface 13.10). */
export const eventDestinationRoutes = (needs: EventDestinationNeeds): Route[] => {
  const { handle, caughtUp, eventDestinations: rows } = needs
  const own = async (call: Call<z.output<typeof params>>) => {
    await caughtUp()
    const { merchant } = callerOf(call)
    const id = within(merchant, call.params.event_destination_id)
    return rows.find(streamOf(eventDestinations, id))?.data ?? refuse('resource_is_unknown')
  }
  return [
    ...registerOf(needs),
    routesOf({ access: 'SECRET', group }).post(`${path}:event_destination_id/replay/`, {
      summary: 'Send the messages since a time again, behind fresh ones',
      description: 'Each is sent byte for byte as it was, if the filters match it now.',
      params,
      body: z.object({ since: dateTimeText }).meta({ id: 'EventReplay' }),
      handle: async (call) => {
        const { since } = call.body
        if (since > call.at) refuse('since_is_in_the_future')
        await needs.replayEvents(call.params.event_destination_id, since, contextOf(call))
      },
    }),
    routesOf({ access: 'KEY', group }).post(`${path}:event_destination_id/secret/`, {
      summary: 'Replace the secret of an event destination',
      description: 'For 24 hours each message is signed with the earlier one too.',
      params,
      reply: z.object({ secret: secretText }).meta({ id: 'EventDestinationSecret' }),
      handle: async (call) => {
        const id = secretIdOf((await own(call)).key)
        const command = { type: 'RotateCallbackSecret', at: call.at } as const
        await handle(callbackSecrets, id, command, contextOf(call))
        const [current] = await needs.findCallbackSecrets(id, call.at)
        return current ?? refuse('resource_is_unknown')
      },
    }),
    routesOf({ access: 'SECRET', group }).get(`${merchantPrefix}/callback_address/`, {
      summary: 'The addresses that get messages beside event destinations, with their health',
      reply: addresses,
      handle: async (call) => {
        await caughtUp()
        const found = rows.addresses(callerOf(call).merchant)
        return {
          addresses: found.map(({ health: { oldestWaiting, failingSince, reason }, ...about }) => ({
            kind: 'address' as const,
            ...about,
            health: { oldest_waiting: oldestWaiting, failing_since: failingSince, reason },
          })),
        }
      },
    }),
  ]
}
