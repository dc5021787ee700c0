import { z } from 'zod'
import { pointsOfSale } from '../../domain/aggregates.ts'
import { newPosId, posId, posName, posTypes } from '../../domain/merchant/pos.ts'
import { within } from '../../domain/stream.ts'
import type { Queries } from '../../projections/read-models.ts'
import { merchantPrefix } from '../addresses.ts'
import { callerOf } from '../call.ts'
import { readable, removable } from '../nothing.ts'
import type { Route } from '../route.ts'
import { locationInput, locationReply } from './location.ts'
import { registerRoutes, type RegisterNeeds } from './register-routes.ts'

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
