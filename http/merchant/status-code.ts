import { z } from 'zod'
import {
  statusCodeDescriptions,
  statusCodes,
  type StatusCodeName,
} from '../../domain/payment/status.ts'
import { refuse } from '../../domain/refusal.ts'
import { merchantPrefix } from '../addresses.ts'
import { type Route, routesOf } from '../route.ts'

const statusCodeReply = z
  .object({ code: z.int(), name: z.string(), description: z.string() })
  .meta({ id: 'StatusCode' })

const { get } = routesOf({ access: 'OPEN', group: 'Status code' })

const all = (Object.keys(statusCodes) as StatusCodeName[]).map((name) => ({
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
