import { z } from 'zod'
import type { RequestLine } from '../../../application/merchant-request.ts'
import type { RefusalLine } from '../../../application/refused-request.ts'
import { searchOf, type Call } from '../../../http/call.ts'
import type { Route } from '../../../http/route.ts'
import { plainText } from '../../../texts/message.ts'
import { textsIn } from '../../../texts/catalogue.ts'
import type { Visits } from '../../payer/session.tsx'
import { Card, type Fact, type Html } from '../../ui/components.tsx'
import { anyText, Choice, Field, type Option } from '../../ui/fields.tsx'
import { shopTime } from '../../ui/money.tsx'
import type { PortalNeeds } from '../guard.ts'
import type { PortalPage, PortalVisitor } from '../page.tsx'
import { portalPages } from '../pages.ts'
import { docsPath } from './code-page.tsx'
import { codeBlock, developersPage, developersPath, factsHtml, textsOf } from './parts.tsx'
import { refusalText } from './refusal-texts.ts'

type Refused = Omit<RefusalLine, 'sealed'> & {
  readonly target?: string | undefined
  readonly toSign?: string | undefined
}

export type PortalRequestNeeds = PortalNeeds & {
  /** The newest requests of a merchant that fit, newest first. */
  readonly requestsOf: (
    merchant: string,
    fits: (line: RequestLine) => boolean,
    limit: number,
  ) => readonly RequestLine[]
  /** The newest refused requests in the name of a merchant, newest first. */
  readonly refusalsOf: (merchant: string) => readonly Refused[]
}

/** Refused before its caller was known, or answered, or both. */
type OneRequest = {
  readonly made?: RequestLine | undefined
  readonly refused?: Refused | undefined
}

const mostListed = 40

const methods = ['GET', 'POST', 'PUT', 'DELETE'] as const

/** By their first digit. */
const statuses = ['2', '3', '4', '5'] as const

/** What is looked for; empty for all. */
type Filters = { readonly status: string; readonly method: string; readonly q: string }

const filtersIn = (call: Call): Filters => {
  const field = (name: string) => searchOf(call).get(name)?.trim().slice(0, 100) ?? ''
  return { status: field('status'), method: field('method'), q: field('q').toLowerCase() }
}

const fitsFilters =
  ({ status, method, q }: Filters) =>
  (line: RequestLine | Refused): boolean =>
    String(line.status).startsWith(status) &&
    (method === '' || line.method === method) &&
    JSON.stringify(line).toLowerCase().includes(q)

const keyOf = ({ request, status, method }: RequestLine | Refused): string =>
  `${request} ${status} ${method}`

const timeOf = ({ made, refused }: OneRequest): string => {
  const line = made ?? refused
  return line?.machine_at ?? line?.at ?? ''
}

/** Both logs, newest first; a caller may give many requests the same id. */
const joined = (
  made: readonly RequestLine[],
  refused: readonly Refused[],
): readonly OneRequest[] => {
  const left = [...refused]
  const answered = made.map((line): OneRequest => {
    const place = left.findIndex((one) => keyOf(one) === keyOf(line))
    return { made: line, refused: place < 0 ? undefined : left.splice(place, 1)[0] }
  })
  const all = [...answered, ...left.map((one): OneRequest => ({ refused: one }))]
  return all.sort((one, other) => (timeOf(one) < timeOf(other) ? 1 : -1)).slice(0, mostListed)
}

/** In the reader's language, with what the log has beside it. */
const reasonHtml = (visitor: PortalVisitor, rule: string): Html => {
  const own = plainText(visitor.texts, `refused_${rule}`)
  const text = own ?? refusalText(rule, visitor.language)
  return text === undefined || text === rule ? rule : [text, ' ', <code>{rule}</code>]
}

/** What was to be signed, of a request that was refused. */
const toSignHtml = (visitor: PortalVisitor, { toSign }: Refused, id: string): Html => {
  const texts = textsOf(visitor)
  return [
    <h3>{texts.toSign}</h3>,
    toSign === undefined ? (
      <p class="quiet small">{texts.direct}</p>
    ) : (
      [
        codeBlock(visitor, id, toSign),
        <p>
          <a href={docsPath(visitor, 'signing')}>{texts.docsSigning}</a>
        </p>,
      ]
    ),
  ]
}

const requestHtml = (
  visitor: PortalVisitor,
  { made, refused }: OneRequest,
  place: number,
): Html => {
  const texts = textsOf(visitor)
  const line = made ?? refused
  if (!line) return null
  const hasNotAuthenticated = line.status === 401 && made === undefined
  const facts: readonly (Fact | false | undefined)[] = [
    refused && [texts.reason, reasonHtml(visitor, refused.rule)],
    [hasNotAuthenticated ? texts.claims : texts.user, <code>{line.actor}</code>],
    made && [texts.took, `${made.took} ms`],
    [texts.requestId, <code>{line.request}</code>],
    [texts.time, <code>{line.at}</code>],
  ]
  const body = made?.body
  return (
    <details class="refused">
      <summary>
        <b class={`badge ${line.status < 400 ? 'good' : 'bad'}`}>{line.status}</b>{' '}
        <code>
          {line.method} {made?.target ?? refused?.target ?? refused?.path}
        </code>{' '}
        <span class="why">{refused ? reasonHtml(visitor, refused.rule) : line.actor}</span>{' '}
        {shopTime(Date.parse(line.at), visitor)}
      </summary>
      {factsHtml(facts.filter((fact) => fact !== undefined && fact !== false))}
      {body !== undefined && [
        <h3>{texts.bodyShape}</h3>,
        codeBlock(visitor, `body-${place}`, JSON.stringify(body, null, 2)),
      ]}
      {hasNotAuthenticated && <p class="quiet small">{texts.anybody}</p>}
      {refused && toSignHtml(visitor, refused, `sign-${place}`)}
    </details>
  )
}

const filterHtml = (visitor: PortalVisitor, { status, method, q }: Filters): Html => {
  const texts = textsOf(visitor)
  const path = developersPath(visitor.shop.merchant, 'requests')
  const ofStatus: Option[] = [
    ['', texts.anyStatus],
    ...statuses.map((one): Option => [one, `${one}xx`]),
  ]
  const ofMethod: Option[] = [['', texts.anyMethod], ...methods.map((one): Option => [one, one])]
  return (
    <form class="find dev-find" method="get" action={path} role="search">
      <div>
        <Field name="q" type="search" label={texts.findRequests} value={q} maxlength={100} />
      </div>
      <div>
        <Choice name="status" label={texts.status} value={status} of={ofStatus} />
      </div>
      <div>
        <Choice name="method" label={texts.method} value={method} of={ofMethod} />
      </div>
      <button class="second">{textsIn[visitor.language].payments.show}</button>
    </form>
  )
}

const requestPage = (
  needs: PortalRequestNeeds,
  visitor: PortalVisitor,
  filters: Filters,
): PortalPage => {
  const texts = textsOf(visitor)
  const { merchant } = visitor.shop
  const fits = fitsFilters(filters)
  const refused = needs.refusalsOf(merchant).filter(fits)
  const listed = joined(needs.requestsOf(merchant, fits, mostListed), refused)
  return developersPage(visitor, {
    tab: 'requests',
    title: texts.tab_requests,
    body: (
      <Card title={texts.tab_requests}>
        <p class="quiet small">{texts.requestsWhat({ count: mostListed })}</p>
        {filterHtml(visitor, filters)}
        {listed.length === 0 ? (
          <p>{texts.noRequests}</p>
        ) : (
          listed.map((one, place) => requestHtml(visitor, one, place))
        )}
      </Card>
    ),
  })
}

/** The requests of a merchant, and refused ones in its name. */
export const portalRequestRoutes = (needs: PortalRequestNeeds, visits: Visits): Route[] => [
  portalPages(needs, visits).page(
    {
      action: 'see_developers',
      area: 'developers',
      path: '/portal/:merchant/developers/requests',
      summary: 'The last requests of a merchant, and why those that were refused were',
      ownQuery: z.object({
        status: anyText('The first digits of the status.'),
        method: anyText('The method.'),
        q: anyText('A part of the address, the user, the request id or a field.'),
      }),
    },
    async (visitor, call) => requestPage(needs, visitor, filtersIn(call as Call)),
  ),
]
