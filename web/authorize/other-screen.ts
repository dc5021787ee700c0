import { authorizations } from '../../domain/aggregates.ts'
import type { Find } from '../../application/find-state.ts'
import { streamOf } from '../../domain/stream.ts'
import type { Instant } from '../../domain/time.ts'
import type { Links } from '../../http/addresses.ts'
import { searchOf, type Call } from '../../http/call.ts'
import { changesReply, type Watch } from '../ui/event-stream.ts'
import type { Visitor, Visits } from '../payer/session.tsx'
import { type RawReply, type Route, routesOf } from '../../http/route.ts'
import { authorizationAsks } from './authorization-parameters.ts'
import { withOrigin, type OriginNeeds, type ValidRequest } from './request.tsx'
import type { AuthorizationPasses } from './pending-authorizations.ts'

export type OtherScreenNeeds = OriginNeeds & {
  readonly links: Links
  readonly isSecure: boolean
  readonly find: Find
  readonly qrImage: { readonly svg: (text: string) => Promise<string> }
  readonly watch: Watch
  readonly now: () => Instant
}

const { get } = routesOf({ access: 'OPEN', group: 'OAuth', success: 'raw' })

/** On a computer: shows a code for the phone and waits for its answer (interface 11). */
export const otherScreenRoutes = (
  needs: OtherScreenNeeds,
  visits: Visits,
  passes: AuthorizationPasses,
  withRequest: (
    visitor: Visitor,
    call: Call,
    work: (valid: ValidRequest) => Promise<RawReply>,
  ) => Promise<RawReply>,
): Route[] => [
  get('/oauth2/qr_image', {
    summary: 'The code with which a phone approves what this browser asks for',
    ...authorizationAsks.otherScreen,
    replyTypes: ['image/svg+xml'],
    handle: async (call) => {
      return visits.page(call, (visitor) =>
        withRequest(visitor, call, async (valid) => {
          const query = passes.numbered(searchOf(call))
          await passes.record(visitor, query, valid, call)
          const { qr } = passes.nameOf(visitor, query)
          const body = await needs.qrImage.svg(
            needs.links.full(`/oauth2/pre_auth?qr=${withOrigin(needs, qr, call)}`),
          )
          return { type: 'image/svg+xml', body, cookies: visitor.cookies }
        }),
      )
    },
  }),
  get('/oauth2/events', {
    summary:
      'Server-sent events: `changed` as soon as the request of this browser is answered, `over` ' +
      'when its time is',
    ...authorizationAsks.otherScreen,
    replyTypes: ['text/event-stream'],
    handle: (call) =>
      visits.page(call, (visitor) =>
        withRequest(visitor, call, async (valid) => {
          // Recording counts passes by address, which limits open pages.
          const query = passes.numbered(searchOf(call))
          const { id, known } = await passes.record(visitor, query, valid, call)
          const hasChanged = async () => {
            const { status } = await needs.find(authorizations, id)
            return status === 'allowed' || status === 'denied'
          }
          const watched = {
            stream: streamOf(authorizations, id),
            from: call.request.remoteAddress ?? '',
            isOver: () => needs.now() >= known.expiresAt,
          }
          return changesReply(needs.watch, watched, hasChanged, needs.isSecure)
        }),
      ),
  }),
]
