import { z } from 'zod'
import { shortlinks, stickers } from '../../application/aggregates.ts'
import type { Find } from '../../application/handle.ts'
import type { shortlink } from '../../domain/merchant/shortlink.ts'
import { refuse } from '../../domain/refusal.ts'
import { streamOf } from '../../domain/stream.ts'
import type { ScanRow } from '../../projections/scans.ts'
import { givenId, merchantPrefix } from '../addresses.ts'
import { preferred } from '../negotiation.ts'
import { callerOf, contextOf, route, type Call, type Route } from '../route.ts'
import { callbackUriText } from '../wire.ts'
import { registerRoutes, type RegisterNeeds } from './register-routes.ts'

const callbackUri = callbackUriText.nullable().meta({
  description: 'Gets a shortlink_scanned for each scan.',
})
const description = z.string().max(1000).nullable()

const shortlinkUpdate = z.object({ callback_uri: callbackUri, description }).partial().meta({
  id: 'ShortlinkUpdate',
  description: 'What is absent stays as it is; null takes it away.',
})

const shortlinkInput = z
  .object({
    callback_uri: callbackUri.default(null),
    description: description.default(null),
    serial_number: z
      .string()
      .regex(/^[a-zA-Z0-9-]{1,64}$/, 'Letters, digits and -, at most 64.')
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

export const argstring = z.string().max(100)

type Data = z.output<typeof shortlink.events.ShortlinkRegistered>
type Row = { readonly position: number; readonly data: Data }

export type ShortlinkNeeds = RegisterNeeds & {
  readonly find: Find
  readonly shortlinks: {
    find(stream: string): Row | undefined
    list(merchant: string, before: number, limit: number): readonly Row[]
  }
  readonly scans: { last(merchant: string, shortlink: string): ScanRow | undefined }
  /** `token:<digits>`, by which the merchant may name the payer who made a scan. */
  readonly scanToken: (scan: string) => string
  readonly newShortlinkId: () => string
  readonly shopName: (merchant: string) => string
  readonly qrImage: {
    readonly png: (text: string) => Promise<Uint8Array<ArrayBuffer>>
    readonly svg: (text: string) => Promise<string>
  }
}

const group = 'Shortlink'
const listPath = `${merchantPrefix}/shortlink/`
const imagePath = '/shortlink/v1/qr_image/:shortlink_id/'
const scanPage = (text: string): string => `/payer/scan?text=${text}`
const valuePath = (id: string): string => `/s/${id}/`
const params = z.object({ shortlink_id: givenId })

/** As it stands in a URL: only what would end its path is encoded beyond the usual. */
const inPath = (argstring: string): string =>
  encodeURI(argstring).replace(/[?#]/g, encodeURIComponent)

/** Codes that payers scan (the document's `/shortlink/`), their images, and where they lead. */
export const shortlinkRoutes = (needs: ShortlinkNeeds): Route[] => {
  const { handle, find, links, caughtUp } = needs

  /**
   * The sticker is claimed first: what a crash then leaves without a shortlink, the same merchant can take up. A repeat
   * finds its own.
   */
  const claim = async (serial: string, call: Call): Promise<string> => {
    const { merchant } = callerOf(call)
    const shortlink = needs.newShortlinkId()
    const command = { type: 'ClaimSticker', merchant, shortlink } as const
    const { state } = await handle(stickers, serial, command, contextOf(call))
    if (state.status !== 'claimed') return refuse('serial_number_is_unknown')
    const { status } = await find(shortlinks, state.shortlink, 'log')
    return status === 'removed' ? refuse('serial_number_is_claimed') : state.shortlink
  }

  const present = async (id: string): Promise<Data> => {
    await caughtUp()
    return (needs.shortlinks.find(streamOf(shortlinks, id)) ?? refuse('resource_is_unknown')).data
  }

  const image = async (id: string, argument: string, accept: string | undefined) => {
    await present(id)
    const text = links.full(valuePath(id)) + inPath(argument)
    const type = preferred(accept, ['image/png', 'image/svg+xml'])
    const body = await (type === 'image/png' ? needs.qrImage.png(text) : needs.qrImage.svg(text))
    return { type, body, headers: { 'X-Content-Type-Options': 'nosniff', Vary: 'Accept' } }
  }

  const destination = async (id: string, argument: string, accept: string | undefined) => {
    const { merchant } = await present(id)
    const name = needs.shopName(merchant)
    const type = preferred(accept, ['text/plain', 'application/json', 'text/html'])
    const headers = { 'X-Content-Type-Options': 'nosniff', Vary: 'Accept' }
    if (type === 'text/html') {
      const text = encodeURIComponent(links.full(valuePath(id)) + inPath(argument))
      return {
        type,
        status: 303,
        body: '',
        headers: { ...headers, Location: scanPage(text) },
      } as const
    }
    const body =
      type === 'application/json'
        ? JSON.stringify({ id, merchant: name, argstring: argument })
        : `This is a code of ${name}. Scan it with the app that you pay with.\n`
    return { type: type === 'text/plain' ? `${type}; charset=utf-8` : type, body, headers }
  }

  const withArgstring = params.extend({ argstring })
  const imageRoute = {
    method: 'GET',
    access: 'OPEN',
    group,
    success: 'raw',
    replyTypes: ['image/png', 'image/svg+xml'],
  } as const
  const destinationRoute = {
    ...imageRoute,
    replyTypes: ['text/plain', 'application/json', 'text/html'],
    errors: { 303: 'A browser goes on to the page on which its payer scans the code.' },
  } as const

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
      id: givenId,
      isIdAnswered: true,
      input: shortlinkInput,
      update: shortlinkUpdate,
      reply: shortlinkReply,
      keyOf: (_, id) => id,
      created: async (call) => {
        const { callback_uri, description, serial_number: serialNumber } = call.body
        const id = serialNumber === null ? needs.newShortlinkId() : await claim(serialNumber, call)
        const { merchant } = callerOf(call)
        return { merchant, id, callbackUri: callback_uri, description, serialNumber }
      },
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
    route({
      method: 'GET',
      path: `${listPath}:shortlink_id/last_scan/`,
      access: 'SECRET',
      group,
      summary: 'Read the latest scan of a shortlink; 204 when none is young enough',
      params,
      query: z.object({
        ttl: secondsText.default(60).meta({
          description: 'Seconds; older scans do not count.',
        }),
      }),
      success: 'value or nothing',
      reply: scanReply,
      handle: async (call) => {
        const { merchant } = callerOf(call)
        const id = call.params.shortlink_id
        if ((await present(id)).merchant !== merchant) return refuse('resource_is_unknown')
        const scan = needs.scans.last(merchant, id)
        const isYoung = scan && call.at - scan.scannedAt <= call.query.ttl * 1000
        return isYoung ? { id: needs.scanToken(scan.scan), argstring: scan.argstring } : undefined
      },
    }),
    route({
      ...imageRoute,
      path: imagePath,
      summary: 'The QR code of a shortlink',
      params,
      handle: ({ params: { shortlink_id }, accept }) => image(shortlink_id, '', accept),
    }),
    route({
      ...imageRoute,
      path: `${imagePath}:argstring{.+}`,
      summary: 'The QR code of a shortlink with an argstring of at most 100 characters',
      params: withArgstring,
      handle: ({ params, accept }) => image(params.shortlink_id, params.argstring, accept),
    }),
    route({
      ...destinationRoute,
      path: valuePath(':shortlink_id'),
      summary: 'Where the code of a shortlink leads',
      params,
      handle: ({ params: { shortlink_id }, accept }) => destination(shortlink_id, '', accept),
    }),
    route({
      ...destinationRoute,
      path: `${valuePath(':shortlink_id')}:argstring{.+}`,
      summary: 'Where the code of a shortlink with an argstring leads',
      params: withArgstring,
      handle: ({ params, accept }) => destination(params.shortlink_id, params.argstring, accept),
    }),
  ]
}
