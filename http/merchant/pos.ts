import { z } from 'zod'
import { pointsOfSale } from '../../domain/aggregates.ts'
import { newPosId, posId, posName, posTypes } from '../../domain/merchant/pos.ts'
import { within } from '../../domain/stream.ts'
import type { Queries } from '../../projections/read-models.ts'
import { merchantPrefix } from '../addresses.ts'
import { callerOf } from '../call.ts'
import { readable, removable } from '../empty-values.ts'
import { type Route, routesOf } from '../route.ts'
import { registerRoutes, type RegisterNeeds } from './register-routes.ts'
import { plainNumber } from '../wire.ts'
import {
  statusCodeDescriptions,
  statusCodes,
  type StatusCodeName,
} from '../../domain/payment/status.ts'
import { refuse } from '../../domain/refusal.ts'

export const statusCodeReply = z
  .object({ code: z.int(), name: z.string(), description: z.string() })
  .meta({ id: 'StatusCode' })

export const { get } = routesOf({ access: 'OPEN', group: 'Status code' })

export const all = (Object.keys(statusCodes) as StatusCodeName[]).map((name) => ({
  code: statusCodes[name],
  name,
  description: statusCodeDescriptions[name],
}))

/** Describes the status codes of outcomes (interface 5). */
export const statusCodeRoutes = (): Route[] => [
  get(`${merchantPrefix}/status_code/`, {
    summary: 'List the status codes',
    reply: z.array(statusCodeReply),
    handle: () => all,
  }),
  get(`${merchantPrefix}/status_code/:value/`, {
    summary: 'Read a status code',
    params: z.object({ value: z.string().meta({ type: 'integer' }) }),
    reply: statusCodeReply,
    handle: ({ params }) =>
      all.find(({ code }) => String(code) === params.value) ?? refuse('resource_is_unknown'),
  }),
]

/** A location (interface 7.3): degrees, and accuracy as a radius in meters. */
export const locationInput = z
  .object({
    latitude: plainNumber(z.number().min(-90).max(90).nullable().default(null)),
    longitude: plainNumber(z.number().min(-180).max(180).nullable().default(null)),
    accuracy: plainNumber(z.number().min(0).nullable())
      .default(null)
      .meta({ description: 'Meters.' }),
  })
  .meta({ id: 'Location' })

export const locationReply = z.object({
  latitude: z.number().nullable(),
  longitude: z.number().nullable(),
  accuracy: z.number().nullable(),
})

const posUpdate = z
  .object({
    name: readable(posName).meta({ description: 'Shown to the payer.' }),
    type: z.enum(posTypes),
    location: removable(locationInput),
  })
  .meta({ id: 'PosUpdate' })

const posInput = posUpdate
  .extend({
    id: newPosId.meta({
      description: 'A payment can only name one of letters, digits and _ . -, at most 64.',
    }),
    location: locationInput.nullable().default(null),
  })
  .meta({ id: 'PosInput' })

const posReply = z
  .object({
    id: z.string(),
    name: z.string(),
    type: z.enum(posTypes),
    location: locationReply.nullable(),
  })
  .meta({ id: 'Pos' })

type PosNeeds = RegisterNeeds & Pick<Queries['merchants'], 'pointsOfSale'>

/** Points of sale (interface 7.3). */
export const posRoutes = (needs: PosNeeds): Route[] =>
  registerRoutes(needs, {
    aggregate: pointsOfSale,
    rows: needs.pointsOfSale,
    path: `${merchantPrefix}/pos/`,
    param: 'pos_id',
    group: 'POS',
    one: 'a point of sale',
    many: 'points of sale',
    access: { list: 'SECRET', create: 'SECRET', read: 'SECRET', change: 'SECRET', remove: 'KEY' },
    aboutRemoval: 'It takes no new requests; its running ones go on.',
    id: posId,
    input: posInput,
    update: posUpdate,
    reply: posReply,
    keyOf: within,
    created: (call) => ({ merchant: callerOf(call).merchant, ...call.body }),
    changes: (call) => call.body,
    view: (data) => data,
  })
