import { z } from 'zod'
import { shortlinks } from '../../domain/aggregates.ts'
import type { shortlink } from '../../domain/merchant/registers.ts'
import { isDotSegment } from '../../domain/merchant/chosen-id.ts'
import { refuse } from '../../domain/refusal.ts'
import { streamOf } from '../../domain/stream.ts'
import type { Queries } from '../../projections/read-models.ts'
import { generatedId, type Links } from '../addresses.ts'
import type { Call } from '../call.ts'
import { preferred } from '../negotiation.ts'
import { type Route, routesOf } from '../route.ts'

type Shortlink = z.output<typeof shortlink.events.ShortlinkRegistered>

export type ShortlinkCodeNeeds = Pick<Queries['merchants'], 'shortlinks' | 'offers'> & {
  readonly links: Links
  readonly caughtUp: () => Promise<void>
  readonly shopName: (merchant: string) => string
  readonly qrImage: {
    readonly image: (
      text: string,
      type: 'png' | 'svg',
      address: string | undefined,
    ) => Promise<string | Uint8Array<ArrayBuffer>>
  }
}

export const shortlinkGroup = 'Shortlink'

export const shortlinkParams = z.object({ shortlink_id: generatedId })

export const longestArgstring = 100

export const argstring = z.string().max(longestArgstring)

/** Where a code leads. */
export const valuePath = (id: string): string => `/s/${id}/`

const imagePath = '/shortlink/v1/qr_image/:shortlink_id/'

const scanPage = (text: string): string => `/payer/scan?text=${text}`

/** Also encodes what would end the path, or be taken out of it. */
const inPath = (argstring: string): string =>
  argstring.split('/').some(isDotSegment)
    ? encodeURIComponent(argstring)
    : encodeURI(argstring).replace(/[?#]/g, encodeURIComponent)

/** Any merchant's shortlink. @throws Refusal when unknown */
export const findShortlink =
  ({ caughtUp, shortlinks: rows }: ShortlinkCodeNeeds) =>
  async (id: string): Promise<Shortlink> => {
    await caughtUp()
    return (rows.find(streamOf(shortlinks, id)) ?? refuse('resource_is_unknown')).data
  }

/** The merchant of a shortlink, or of a payment link. @throws Refusal when unknown */
const merchantOfCode = (needs: ShortlinkCodeNeeds) => async (id: string) => {
  await needs.caughtUp()
  return needs.offers.find(id)?.merchant ?? (await findShortlink(needs)(id)).merchant
}

/** QR code images, and the pages they lead to. */
export const shortlinkCodeRoutes = (needs: ShortlinkCodeNeeds): Route[] => {
  const { links } = needs
  const find = merchantOfCode(needs)

  const image = async (id: string, argument: string, { accept, request }: Call) => {
    await find(id)
    const text = links.full(valuePath(id)) + inPath(argument)
    const type = preferred(accept, ['image/png', 'image/svg+xml'])
    const kind = type === 'image/png' ? 'png' : 'svg'
    const body = await needs.qrImage.image(text, kind, request.remoteAddress)
    // Cacheable for good: an id never means another code.
    const headers = {
      'X-Content-Type-Options': 'nosniff',
      Vary: 'Accept',
      'Cache-Control': 'public, max-age=3600',
    }
    return { type, body, headers }
  }

  const destination = async (id: string, argument: string, accept: string | undefined) => {
    const type = preferred(accept, ['text/plain', 'application/json', 'text/html'])
    const headers = { 'X-Content-Type-Options': 'nosniff', Vary: 'Accept' }
    // The page also explains a code that no longer exists.
    if (type === 'text/html') {
      const text = encodeURIComponent(links.full(valuePath(id)) + inPath(argument))
      return {
        type,
        status: 303,
        body: '',
        headers: { ...headers, Location: scanPage(text) },
      } as const
    }
    const merchant = await find(id)
    const name = needs.shopName(merchant)
    const body =
      type === 'application/json'
        ? JSON.stringify({ id, merchant: name, argstring: argument })
        : `This is a code of ${name}. Scan it with the app that you pay with.\n`
    return { type: type === 'text/plain' ? `${type}; charset=utf-8` : type, body, headers }
  }

  const withArgstring = shortlinkParams.extend({ argstring })
  const kind = { access: 'OPEN', group: shortlinkGroup, success: 'raw' } as const
  const ofImages = routesOf({ ...kind, replyTypes: ['image/png', 'image/svg+xml'] })
  const ofCodes = routesOf({
    ...kind,
    replyTypes: ['text/plain', 'application/json', 'text/html'],
    errors: { 303: 'A browser goes on to the page on which its payer scans the code.' },
  })

  const images = [
    ofImages.get(imagePath, {
      summary: 'The QR code of a shortlink',
      params: shortlinkParams,
      handle: (call) => image(call.params.shortlink_id, '', call),
    }),
    ofImages.get(`${imagePath}:argstring{.+}`, {
      summary: 'The QR code of a shortlink with an argstring of at most 100 characters',
      params: withArgstring,
      handle: (call) => image(call.params.shortlink_id, call.params.argstring, call),
    }),
  ]
  return [
    ...images,
    ofCodes.get(valuePath(':shortlink_id'), {
      summary: 'Where the code of a shortlink leads',
      params: shortlinkParams,
      handle: ({ params: { shortlink_id }, accept }) => destination(shortlink_id, '', accept),
    }),
    ofCodes.get(`${valuePath(':shortlink_id')}:argstring{.+}`, {
      summary: 'Where the code of a shortlink with an argstring leads',
      params: withArgstring,
      handle: ({ params, accept }) => destination(params.shortlink_id, params.argstring, accept),
    }),
  ]
}
