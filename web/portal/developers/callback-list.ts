import { html } from 'hono/html'
import { mayDo } from '../../../domain/merchant/staff-roles.ts'
import type {
  CallbackMessageRow,
  FoldedStatus,
} from '../../../projections/callback-message-table.ts'
import type { Instant } from '../../../domain/time.ts'
import type { CallbackNeeds } from '../../../http/merchant/callback.ts'
import { summaryView } from '../../../http/merchant/callback-reply.ts'
import { shownTime } from '../../ui/money.ts'
import type { Html } from '../../ui/page.ts'
import { linkToOlder } from '../../ui/paging.ts'
import { filled } from '../../ui/words.ts'
import type { PortalPage, PortalVisitor } from '../page.ts'
import { portalPath } from '../areas.ts'
import {
  actHtml,
  askedHtml,
  callbackWords,
  copyHtml,
  developersPage,
  developersPath,
  textsOf,
} from './parts.ts'
import { headedTable, quiet, card } from '../parts.ts'
import { inputField, type Problems } from '../../ui/fields.ts'
import { problemText } from '../problem-texts.ts'
import { filledText } from '../../../texts/message.ts'

/** The filters of the list, and what each shows. */
export const filters = {
  waiting: ['waiting'],
  failed: ['failing', 'abandoned'],
  abandoned: ['abandoned'],
  delivered: ['delivered'],
  unaddressed: ['unaddressed'],
} as const satisfies Readonly<Record<string, readonly FoldedStatus[]>>

export type CallbackFilter = keyof typeof filters

export const callbackFilters = Object.keys(filters) as [CallbackFilter, ...CallbackFilter[]]

/** Those without an address stand in the feed alone. */
export const addressed = [...filters.waiting, ...filters.failed, ...filters.delivered]

export const kinds: Readonly<Record<FoldedStatus, string>> = {
  waiting: 'warn',
  failing: 'bad',
  abandoned: 'bad',
  delivered: 'good',
  unaddressed: '',
}

/** By the status that the filters go by. */
export const badgeHtml = (status: FoldedStatus, text: string): Html =>
  html`<b class="badge ${kinds[status]}">${text}</b>`

/** What has become of a message. */
export const statusBadge = (
  visitor: Pick<PortalVisitor, 'language'>,
  { status }: Pick<CallbackMessageRow, 'status'>,
): Html => {
  const filter = status === 'failing' ? 'failed' : status
  return badgeHtml(status, textsOf(visitor)[`filter_${filter}`])
}

/** Why the last attempt failed, in short. */
export const reasonHtml = (
  visitor: PortalVisitor,
  { httpStatus, problem }: CallbackMessageRow,
): Html | '' => {
  if (httpStatus === null && problem === null) return ''
  const text =
    httpStatus === null
      ? problemText(problem ?? '', visitor.language)
      : filledText(textsOf(visitor).answered, { status: String(httpStatus) })
  return html`<span class="value">${text}</span>`
}

/** What was typed, and what is wrong with it. */
type TypedAddress = {
  /** For the test message. */
  readonly typed?: string
  /** As the merchant's own address. */
  readonly typedAddress?: string
  readonly problems?: Problems
}

const placeholder = 'https://shop.example/callback'

const testHtml = (visitor: PortalVisitor, typed: string, problems: Problems): Html => {
  const texts = textsOf(visitor)
  const fields = inputField({
    ...{ name: 'uri', label: texts.callbackAddress, problem: problems['uri'] },
    attributes: html`type="url" value="${typed}" maxlength="2000" required autocomplete="off"
    placeholder="${placeholder}"`,
  })
  const path = developersPath(visitor.shop.merchant, 'callbacks')
  const act = { path, change: 'test', label: texts.sendTest, fields, kind: '' } as const
  return card(
    texts.sendTest,
    html`<p class="quiet small">${texts.sendTestWhat}</p>
      ${actHtml(visitor, act)}`,
  )
}

/** Where goes what no request has given an address for. */
const ownHtml = (visitor: PortalVisitor, typed: string | undefined, problems: Problems): Html => {
  const texts = textsOf(visitor)
  const { merchant, callbackUri } = visitor.shop
  const fields = inputField({
    ...{ name: 'own_uri', label: texts.callbackAddress, problem: problems['own_uri'] },
    attributes: html`value="${typed ?? callbackUri ?? ''}" maxlength="2000" autocomplete="off"
    placeholder="${placeholder}"`,
  })
  const path = developersPath(merchant, 'callbacks')
  const act = { path, change: 'address', label: texts.save, fields, kind: '' } as const
  return card(
    texts.ownAddress,
    html`<p class="quiet small">${texts.ownAddressWhat}</p>
      ${actHtml(visitor, act)}`,
  )
}

/** The merchant's own address, and a test of any. */
const addressesHtml = (
  visitor: PortalVisitor,
  { typed = '', typedAddress, problems = {} }: TypedAddress,
): Html =>
  html`<div>${ownHtml(visitor, typedAddress, problems)} ${testHtml(visitor, typed, problems)}</div>`

type Secret = { readonly secret: string; readonly validUntil: Instant | null }

export type CallbackListNeeds = Pick<
  CallbackNeeds,
  'callbackMessages' | 'findQueue' | 'links' | 'attemptsOf' | 'wordCallback' | 'retryCallback'
> & {
  readonly newestOf: (merchant: string) => number
  /** The current one first. */
  readonly findCallbackSecrets: (merchant: string, at: Instant) => Promise<readonly Secret[]>
}

type Row = CallbackMessageRow

const shownAtOnce = 50

export const callbacksPath = (merchant: string, search = ''): string =>
  developersPath(merchant, `callbacks${search}`)

const rowHtml = (needs: CallbackListNeeds, visitor: PortalVisitor, row: Row): Html => {
  const { merchant } = visitor.shop
  const { callback_uri: uri } = summaryView(needs, row)
  return html`<tr>
    <td>${shownTime(row.at, visitor.locale)}</td>
    <th scope="row">
      <a href="${callbacksPath(merchant, `/${row.id}`)}">${callbackWords(visitor, row.event)}</a>
      <code class="value">${row.event}</code>
    </th>
    <td>${statusBadge(visitor, row)} ${reasonHtml(visitor, row)}</td>
    <td class="number ${row.attempts === 0 ? 'zero' : ''}">${row.attempts}</td>
    <td class="dev-long"><code>${uri ?? ''}</code></td>
  </tr>`
}

const tableHtml = (
  needs: CallbackListNeeds,
  visitor: PortalVisitor,
  rows: readonly Row[],
): Html => {
  const texts = textsOf(visitor)
  if (rows.length === 0) return quiet(texts.noCallbacks)
  return html`<div class="scroll">
    ${headedTable(
      'grid lines',
      [texts.time, texts.event, texts.status, { number: texts.attempts }, texts.callbackAddress],
      rows.map((row) => rowHtml(needs, visitor, row)),
    )}
  </div>`
}

const filtersHtml = (visitor: PortalVisitor, current: CallbackFilter | undefined): Html => {
  const texts = textsOf(visitor)
  const path = callbacksPath(visitor.shop.merchant)
  const link = (status: CallbackFilter | undefined) =>
    html`<a
      href="${path}${status === undefined ? '' : `?status=${status}`}"
      ${status === current ? html`aria-current="true"` : ''}
      >${texts[`filter_${status ?? 'all'}`]}</a
    >`
  return html`<nav class="filters" aria-label="${texts.status}">
    ${link(undefined)} ${callbackFilters.map(link)}
  </nav>`
}

const secretHtml = async (
  needs: CallbackListNeeds,
  visitor: PortalVisitor,
  at: Instant,
  isShown: boolean,
): Promise<Html> => {
  const texts = textsOf(visitor)
  const { merchant } = visitor.shop
  const path = callbacksPath(merchant)
  const [current, ...earlier] = isShown ? await needs.findCallbackSecrets(merchant, at) : []
  const act = { path, change: 'rotate', label: texts.rotate, kind: 'danger' as const }
  return html`<section class="card">
    <h2>${texts.callbackSecret}</h2>
    <p class="quiet small">${texts.callbackSecretWhat}</p>
    ${
      current === undefined
        ? html`<p><a class="button second" href="${path}?secret">${texts.showSecret}</a></p>`
        : html`${copyHtml(visitor, 'callback-secret', current.secret)}
          ${earlier.map(
            ({ secret, validUntil }, index) =>
              html`<p class="quiet small">
                  ${filled(texts.oldUntil, { time: shownTime(validUntil ?? at, visitor.locale) })}
                </p>
                ${copyHtml(visitor, `earlier-${index}`, secret)}`,
          )}`
    }
    ${askedHtml(texts.rotate, texts.rotateCallbacksWhat, actHtml(visitor, act))}
  </section>`
}

export type CallbackListAsked = TypedAddress & {
  readonly at: Instant
  readonly status: CallbackFilter | undefined
  readonly before: number
  readonly isSecretShown: boolean
  readonly done?: string | undefined
}

/** The messages of a merchant, the secret that signs them, and a test. */
export const callbackListPage = async (
  needs: CallbackListNeeds,
  visitor: PortalVisitor,
  asked: CallbackListAsked,
): Promise<PortalPage> => {
  const texts = textsOf(visitor)
  const { shop, me } = visitor
  const { at, status, before, isSecretShown, done } = asked
  const newest = needs.newestOf(shop.merchant)
  const statuses = status === undefined ? addressed : filters[status]
  const found = needs.callbackMessages.list(shop.merchant, statuses, before, shownAtOnce + 1)
  const rows = found.slice(0, shownAtOnce)
  const last = found.length > shownAtOnce ? rows.at(-1) : undefined
  const older = `?before=${last?.place}${status === undefined ? '' : `&status=${status}`}`
  const mayChange = mayDo(me.terms, 'change_callbacks')
  return developersPage(visitor, {
    ...{ tab: 'callbacks', title: texts.tab_callbacks, done },
    status: asked.problems === undefined ? 200 : 400,
    follow: portalPath(shop.merchant, `events?after=${newest}`),
    body: html`<section class="card">
        <h2>${texts.tab_callbacks}</h2>
        <p class="quiet small">${texts.callbacksWhat}</p>
        ${filtersHtml(visitor, status)}
        <div data-part="callbacks">${tableHtml(needs, visitor, rows)}</div>
        ${linkToOlder(visitor, last && callbacksPath(shop.merchant, older))}
      </section>
      ${
        mayChange
          ? html`<div class="columns">
              ${await secretHtml(needs, visitor, at, isSecretShown)}
              ${addressesHtml(visitor, asked)}
            </div>`
          : ''
      }`,
  })
}
