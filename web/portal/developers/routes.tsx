import { Card, type Html } from '../../ui/components.tsx'
import type { Visits } from '../../payer/session.tsx'
import type { Route } from '../../../http/route.ts'
import { portalApplicationRoutes, type PortalApplicationNeeds } from './applications.ts'
import { portalCallbackRoutes, type PortalCallbackNeeds } from './callbacks.ts'
import { portalDestinationRoutes, type PortalDestinationNeeds } from './destinations.tsx'
import { portalSandboxRoutes, type PortalSandboxNeeds } from './sandbox.tsx'
import { portalUserRoutes, type PortalUserNeeds } from './users.ts'
import type { RefusalLine } from '../../../application/refused-request.ts'
import { shopTime } from '../../ui/money.tsx'
import type { PortalNeeds } from '../guard.ts'
import type { PortalPage, PortalVisitor } from '../page.tsx'
import { portalPages } from '../pages.ts'
import { docsPath } from './code-page.tsx'
import { refusalText } from './refusal-texts.ts'
import { codeBlock, developersPage, factsHtml, textsOf } from './parts.tsx'
import { plainText } from '../../../texts/message.ts'

type Refused = Omit<RefusalLine, 'sealed'> & {
  readonly target?: string | undefined
  readonly toSign?: string | undefined
}

type PortalRefusalNeeds = PortalNeeds & {
  /** The newest refused requests of a merchant, newest first. */
  readonly refusalsOf: (merchant: string) => readonly Refused[]
}

/** In the reader's language, with what the log has beside it. */
const reasonHtml = (visitor: PortalVisitor, rule: string): Html => {
  const own = plainText(visitor.texts, `refused_${rule}`)
  const text = own ?? refusalText(rule, visitor.language)
  return text === undefined || text === rule ? rule : [text, ' ', <code>{rule}</code>]
}

const refusedHtml = (visitor: PortalVisitor, one: Refused): Html => {
  const texts = textsOf(visitor)
  const hasNotAuthenticated = one.status === 401
  return (
    <details class="refused">
      <summary>
        <b class="badge bad">{one.status}</b>{' '}
        <code>
          {one.method} {one.target ?? one.path}
        </code>{' '}
        <span class="why">{reasonHtml(visitor, one.rule)}</span>{' '}
        {shopTime(Date.parse(one.at), visitor)}
      </summary>
      {factsHtml([
        [texts.reason, reasonHtml(visitor, one.rule)],
        [hasNotAuthenticated ? texts.claims : texts.user, <code>{one.actor}</code>],
        [texts.requestId, <code>{one.request}</code>],
      ])}
      {hasNotAuthenticated && <p class="quiet small">{texts.anybody}</p>}
      <h3>{texts.toSign}</h3>
      {one.toSign === undefined ? (
        <p class="quiet small">{texts.direct}</p>
      ) : (
        [
          codeBlock(visitor, `sign-${one.request}`, one.toSign),
          <p>
            <a href={docsPath(visitor, 'signing')}>{texts.docsSigning}</a>
          </p>,
        ]
      )}
    </details>
  )
}

const refusalPage = (needs: PortalRefusalNeeds, visitor: PortalVisitor): PortalPage => {
  const texts = textsOf(visitor)
  const refused = needs.refusalsOf(visitor.shop.merchant)
  return developersPage(visitor, {
    ...{ tab: 'requests', title: texts.tab_requests },
    body: (
      <Card title={texts.tab_requests}>
        <p class="quiet small">{texts.refusalsWhat}</p>
        {refused.length === 0 ? (
          <p>{texts.noRefusals}</p>
        ) : (
          refused.map((one) => refusedHtml(visitor, one))
        )}
      </Card>
    ),
  })
}

/** Requests in the name of the merchant that were refused, and why. */
const portalRefusalRoutes = (needs: PortalRefusalNeeds, visits: Visits): Route[] => [
  portalPages(needs, visits).page(
    {
      ...{ action: 'see_developers', area: 'developers' },
      path: '/portal/:merchant/developers/requests',
      summary: 'The last refused requests of a merchant, with what was to be signed',
    },
    async (visitor) => refusalPage(needs, visitor),
  ),
]

type DeveloperNeeds = PortalUserNeeds &
  PortalApplicationNeeds &
  PortalCallbackNeeds &
  PortalDestinationNeeds &
  PortalRefusalNeeds &
  PortalSandboxNeeds

/** What developers see and do: API users, applications, callbacks, and what was refused. */
export const developerRoutes = (needs: DeveloperNeeds, visits: Visits): Route[] => [
  ...portalUserRoutes(needs, visits),
  ...portalApplicationRoutes(needs, visits),
  ...portalCallbackRoutes(needs, visits),
  ...portalDestinationRoutes(needs, visits),
  ...portalRefusalRoutes(needs, visits),
  ...portalSandboxRoutes(needs, visits),
]
