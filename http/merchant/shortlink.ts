import { z } from 'zod'
import { claimSticker, isStickerKnown } from '../../application/claims.ts'
import { shortlinks } from '../../domain/aggregates.ts'
import type { Find } from '../../application/find-state.ts'
import { serialNumberPattern } from '../../domain/merchant/sticker.ts'
import { refuse } from '../../domain/refusal.ts'
import { isAhead } from '../../domain/time.ts'
import type { Queries } from '../../projections/read-models.ts'
import { generatedId, merchantPrefix, callbackUriText } from '../addresses.ts'
import { callerOf, contextOf } from '../call.ts'
import { type Route, routesOf } from '../route.ts'
import { removable } from '../empty-values.ts'
import { issuesOf } from '../refusal-answers.ts'
import { registerRoutes, type RegisterNeeds } from './register-routes.ts'
import {
  findShortlink,
  shortlinkCodeRoutes,
  shortlinkGroup as group,
  shortlinkParams as params,
  valuePath,
  type ShortlinkCodeNeeds,
} from './shortlink-code.ts'

const callbackUri = callbackUriText.meta({
  description: 'Gets a shortlink_scanned for each scan.',
})

const description = z.string().max(1000)

const shortlinkUpdate = z
  .object({ callback_uri: removable(callbackUri), description: removable(description) })
  .meta({ id: 'ShortlinkUpdate' })

const shortlinkInput = z
  .object({
    callback_uri: callbackUri.nullable().default(null),
    description: description.nullable().default(null),
    serial_number: z
      .string()
      .regex(serialNumberPattern, 'Letters, digits and -, at most 64.')
      .nullable()
      .default(null)
      .meta({ description: 'Of a printed sticker; it can be claimed once.' }),
  })
  .meta({ id: 'ShortlinkInput' })

const secondsText = z
  .string()
  .regex(/^\d{1,7}$/, 'Must be a whole number of seconds.')
  .transform(Number)
  .pipe(z.int().max(2_592_000))

const shortlinkReply = z
  .object({
    id: z.string(),
    callback_uri: z.string().nullable(),
    description: z.string().nullable(),
    serial_number: z.string().nullable(),
    shortlink_value: z.string().meta({
      description: 'The text of the code; what follows it is the argstring of a scan.',
    }),
  })
  .meta({ id: 'Shortlink' })

const scanReply = z.object({ id: z.string(), argstring: z.string() }).meta({ id: 'Scan' })

type ShortlinkNeeds = RegisterNeeds &
  ShortlinkCodeNeeds &
  Pick<Queries['merchants'], 'scans'> & {
    readonly find: Find
    /** `token:<digits>`, with which a merchant may address the payer who scanned. */
    readonly scanToken: (scan: string) => string
    readonly newShortlinkId: () => string
  }

const listPath = `${merchantPrefix}/shortlink/`

const { get } = routesOf({ access: 'SECRET', group })

/** Codes that payers scan (interface 7.4). */
export const shortlinkRoutes = (needs: ShortlinkNeeds): Route[] => {
  const { links } = needs
  const present = findShortlink(needs)

  const claim = claimSticker(needs)

  return [
    ...registerRoutes(needs, {
      aggregate: shortlinks,
      rows: needs.shortlinks,
      path: listPath,
      param: 'shortlink_id',
      group,
      one: 'a shortlink',
      many: 'shortlinks',
      access: {
        list: 'SECRET',
        create: 'SECRET',
        read: 'SECRET',
        change: 'SECRET',
        remove: 'SECRET',
      },
      id: generatedId,
      input: shortlinkInput,
      update: shortlinkUpdate,
      reply: shortlinkReply,
      keyOf: (_, id) => id,
      created: async (call) => {
        const { callback_uri, description, serial_number: serialNumber } = call.body
        const { merchant } = callerOf(call)
        const made = needs.newShortlinkId()
        const id =
          serialNumber === null ? made : await claim(serialNumber, made, merchant, contextOf(call))
        return { merchant, id, callbackUri: callback_uri, description, serialNumber }
      },
      faultsOfCreated: async ({ body: { serial_number: serial } }) =>
        serial == null || (await isStickerKnown(needs, serial))
          ? []
          : issuesOf(['serial_number_is_unknown']),
      changes: ({ body: { callback_uri: callbackUri, description } }) => ({
        callbackUri,
        description,
      }),
      view: ({ id, callbackUri, description, serialNumber }) => ({
        id,
        callback_uri: callbackUri,
        description,
        serial_number: serialNumber,
        shortlink_value: links.full(valuePath(id)),
      }),
    }),
    get(`${listPath}:shortlink_id/last_scan/`, {
      isPrompt: true,
      summary: 'Read the latest scan of a shortlink; 204 when none is young enough',
      params,
      query: z.object({
        ttl: secondsText.default(60).meta({ description: 'Seconds; older scans do not count.' }),
      }),
      success: 'value or nothing',
      reply: scanReply,
      handle: async (call) => {
        const { merchant } = callerOf(call)
        const id = call.params.shortlink_id
        if ((await present(id)).merchant !== merchant) return refuse('resource_is_unknown')
        const scan = needs.scans.last(merchant, id)
        const isYoung =
          scan &&
          !isAhead(scan.scannedAt, call.at) &&
          call.at - scan.scannedAt <= call.query.ttl * 1000
        return isYoung ? { id: needs.scanToken(scan.scan), argstring: scan.argstring } : undefined
      },
    }),
    ...shortlinkCodeRoutes(needs),
  ]
}
