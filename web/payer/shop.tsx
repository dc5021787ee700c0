import type { Html } from '../ui/components.tsx'
import { z } from 'zod'
import { refuse } from '../../domain/refusal.ts'
import { route, type Route } from '../../http/route.ts'

type Shop = {
  readonly shop: string
  /** SHA-256 of the logo, a PNG. */
  readonly logo: string | null
}

type ShopLogoNeeds = {
  readonly logos: { get(hash: string): Promise<Uint8Array<ArrayBuffer> | undefined> }
}

const logoParams = z.object({ hash: z.string().regex(/^[0-9a-f]{64}$/) })

const pngSignature = [0x89, 0x50, 0x4e, 0x47]

/** The logo, or the shop's initial; the name stands beside it. */
export const logoHtml = ({ shop, logo }: Shop): Html =>
  logo === null ? (
    <span class="logo" aria-hidden="true">
      {[...shop][0]?.toUpperCase() ?? ''}
    </span>
  ) : (
    <img class="logo" src={`/payer/logo/${logo}`} alt="" width="48" height="48" />
  )

/** Logos are addressed by digest, so nobody can enumerate shops. */
export const shopLogoRoute = ({ logos }: ShopLogoNeeds): Route =>
  route({
    method: 'GET',
    path: '/payer/logo/:hash',
    access: 'OPEN',
    group: 'Pages',
    summary: 'The logo of a shop, by its SHA-256, as the pages show it',
    params: logoParams,
    success: 'raw',
    replyTypes: ['image/png'],
    handle: async ({ params }) => {
      const body = await logos.get(params.hash)
      const isPng = pngSignature.every((byte, index) => body?.[index] === byte)
      if (!body || !isPng) return refuse('resource_is_unknown')
      const headers = {
        'Cache-Control': 'public, max-age=31536000, immutable',
        'X-Content-Type-Options': 'nosniff',
      }
      return { type: 'image/png', body, headers }
    },
  })
