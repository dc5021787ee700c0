import { z } from 'zod'
import type { TwinArrival } from '../../application/twin.ts'
import type { Caused } from '../../application/handle.ts'
import { searchOf } from '../../http/call.ts'
import type { Route } from '../../http/route.ts'
import { beginSession, type BeginSessionNeeds } from '../payer/begin-session.ts'
import { openPages } from '../payer/pages.ts'
import type { Visits } from '../payer/session.tsx'
import { anyText } from '../ui/fields.tsx'
import { portalPath } from './areas.ts'
import type { PortalNeeds } from './guard.ts'
import { portalPages } from './pages.ts'

type TwinLinkNeeds = PortalNeeds & {
  readonly derive: (...parts: readonly string[]) => string
  /** An address in the sandbox; undefined where there is none. */
  readonly twinLink:
    ((arrival: TwinArrival & { readonly browser: string }) => Promise<string>) | undefined
}

const root = (url: string, path: string, query: Readonly<Record<string, string>>): string =>
  `${url}${path}?${new URLSearchParams(query)}`

/** In production: signs whom it sends to the sandbox. */
export const twinRoutes = (needs: TwinLinkNeeds, visits: Visits): Route[] => {
  const { twinLink, derive, isSandbox } = needs
  if (isSandbox || !twinLink) return []
  return [
    portalPages(needs, visits).page(
      {
        path: '/portal/:merchant/twin',
        summary: 'On to the twin of the merchant in the sandbox',
        action: 'see_developers',
        ownQuery: z.object({ browser: anyText('Which browser the sandbox has sent here.') }),
      },
      async (visitor, call) => {
        const { merchant, name: businessName, currency, country, timeZone } = visitor.shop
        const shop = { merchant, businessName, currency, country, timeZone }
        const person = derive('twin', visitor.session.payer)
        const browser = searchOf(call).get('browser') ?? ''
        return visits.go(
          visitor,
          await twinLink({ ...shop, terms: visitor.me.terms, person, browser }),
        )
      },
    ),
  ]
}

type TwinArrivalNeeds = BeginSessionNeeds & {
  readonly digestOf: (text: string) => string
  /** Undefined but in a sandbox that knows production. */
  readonly twin:
    | {
        readonly url: string
        /** Undefined for a link that is wrong, old, used or of another browser. */
        readonly arrive: (
          token: string,
          browser: string,
          caused: Caused,
        ) => Promise<
          { readonly merchant: string; readonly payer: string; readonly code: string } | undefined
        >
      }
    | undefined
}

/** In the sandbox: sends the browser to production for a link, and takes that. */
export const twinArrivalRoutes = (needs: TwinArrivalNeeds, visits: Visits): Route[] => {
  const { twin } = needs
  if (!twin) return []
  const begin = beginSession(needs, visits)
  return [
    openPages.get('/payer/twin', {
      summary: 'Come from production to the twin of a merchant',
      ownQuery: z.object({
        merchant: anyText('Whose twin.'),
        token: anyText('The link that production has signed.'),
      }),
      errors: {
        303: 'On to production for a link, and with it to the twin.',
        400: 'The link is wrong, old, used, or of another browser.',
      },
      handle: (call) =>
        visits.page(call, async (visitor) => {
          const search = searchOf(call)
          const browser = needs.digestOf(`twin ${visitor.browser}`)
          const token = search.get('token')
          const merchant = search.get('merchant') ?? ''
          if (token === null)
            return visits.go(visitor, root(twin.url, portalPath(merchant, 'twin'), { browser }))
          const { at, requestId: correlationId, traceparent } = call
          const arrived = await twin.arrive(token, browser, { at, correlationId, traceparent })
          const text = visitor.texts.wrongTwinLink
          if (!arrived) return visits.problem(visitor, { status: 400, text }, call)
          const cookies = await begin(visitor, arrived.payer, arrived.code, call)
          return visits.go(visitor, portalPath(arrived.merchant), cookies)
        }),
    }),
  ]
}
