import type { Visits } from '../../payer/session.ts'
import type { Route } from '../../../http/route.ts'
import { portalApplicationRoutes, type PortalApplicationNeeds } from './applications.ts'
import { portalCallbackRoutes, type PortalCallbackNeeds } from './callbacks.ts'
import { portalSandboxRoutes, type PortalSandboxNeeds } from './sandbox.ts'
import { portalUserRoutes, type PortalUserNeeds } from './users.ts'
import { html } from 'hono/html'
import type { RefusalLine } from '../../../application/refused-request.ts'
import { shownTime } from '../../ui/money.ts'
import type { Html } from '../../ui/page.ts'
import type { PortalNeeds } from '../guard.ts'
import type { PortalPage, PortalVisitor } from '../page.ts'
import { portalPages } from '../pages.ts'
import { card } from '../parts.ts'
import { docsPath } from './code-page.ts'
import { refusalText } from './refusal-texts.ts'
import { codeBlock, developersPage, factsHtml, textsOf } from './parts.ts'
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
  return text === undefined || text === rule ? html`${rule}` : html`${text} <code>${rule}</code>`
}

const refusedHtml = (visitor: PortalVisitor, one: Refused): Html => {
  const texts = textsOf(visitor)
  const hasNotAuthenticated = one.status === 401
  return html`<details class="refused">
    <summary>
      <b class="badge bad">${one.status}</b>
      <code>${one.method} ${one.target ?? one.path}</code>
      <span class="why">${reasonHtml(visitor, one.rule)}</span>
      ${shownTime(Date.parse(one.at), visitor.locale)}
    </summary>
    ${factsHtml([
      [texts.reason, reasonHtml(visitor, one.rule)],
      [hasNotAuthenticated ? texts.claims : texts.user, html`<code>${one.actor}</code>`],
      [texts.requestId, html`<code>${one.request}</code>`],
    ])}
    ${hasNotAuthenticated ? html`<p class="quiet small">${texts.anybody}</p>` : ''}
    <h3>${texts.toSign}</h3>
    ${
      one.toSign === undefined
        ? html`<p class="quiet small">${texts.direct}</p>`
        : html`${codeBlock(visitor, `sign-${one.request}`, one.toSign)}
            <p><a href="${docsPath(visitor, 'signing')}">${texts.docsSigning}</a></p>`
    }
  </details>`
}

const refusalPage = (needs: PortalRefusalNeeds, visitor: PortalVisitor): PortalPage => {
  const texts = textsOf(visitor)
  const refused = needs.refusalsOf(visitor.shop.merchant)
  return developersPage(visitor, {
    ...{ tab: 'requests', title: texts.tab_requests },
    body: card(
      texts.tab_requests,
      html`<p class="quiet small">${texts.refusalsWhat}</p>
        ${
          refused.length === 0
            ? html`<p>${texts.noRefusals}</p>`
            : refused.map((one) => refusedHtml(visitor, one))
        }`,
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
  PortalRefusalNeeds &
  PortalSandboxNeeds

/** What developers see and do: API users, applications, callbacks, and what was refused. */
export const developerRoutes = (needs: DeveloperNeeds, visits: Visits): Route[] => [
  ...portalUserRoutes(needs, visits),
  ...portalApplicationRoutes(needs, visits),
  ...portalCallbackRoutes(needs, visits),
  ...portalRefusalRoutes(needs, visits),
  ...portalSandboxRoutes(needs, visits),
]
