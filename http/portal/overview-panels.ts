import { html } from 'hono/html'
import { staffActor } from '../../domain/merchant/staff.ts'
import { isTheirPos, mayDo, type StaffAction } from '../../domain/merchant/staff-roles.ts'
import type { Sum } from '../../domain/money/money.ts'
import { formatAmount } from '../../domain/money/money.ts'
import { dayMs, type Instant } from '../../domain/time.ts'
import { shownAmount, shownMoney, shownTime } from '../payer/money.ts'
import type { Html } from '../payer/page.ts'
import { filled } from '../payer/words.ts'
import { actorNames, type ActorNeeds } from './actors.ts'
import { portalPath } from './areas.ts'
import { failingAddresses, type FailingAddress } from './failing-addresses.ts'
import { newsWords } from './news-words.ts'
import type { PortalVisitor } from './page.ts'
import { overviewTexts } from './texts-overview.ts'

type Expiring = {
  readonly tid: string
  readonly posId: string
  readonly posTid: string
  readonly currency: string
  readonly amountLeft: number
  readonly additionalAmountLeft: number
  readonly expiresAt: Instant
}

type News = {
  readonly position: number
  readonly type: string
  readonly stream: string
  readonly actor: string
  readonly at: Instant
}

export type PanelNeeds = ActorNeeds & {
  readonly expiring: (
    merchant: string,
    from: Instant,
    until: Instant,
    limit: number,
  ) => readonly Expiring[]
  readonly failingCallbacks: (merchant: string, limit: number) => readonly FailingAddress[]
  /** What is owed to the merchant and not settled, when it will be, and whether to an account. */
  readonly nextPayout: (merchant: string) => {
    readonly dueAt: Instant | null
    readonly sums: readonly { readonly currency: string; readonly sum: Sum }[]
    readonly hasAccount: boolean
  }
  readonly newsAfter: (merchant: string, position: number, limit: number) => readonly News[]
}

const mostShown = 8
const newsRead = 60

const empty = (text: string): Html => html`<p class="quiet">${text}</p>`

const panel = (title: string, body: Html): Html =>
  html`<section class="card">
    <h2>${title}</h2>
    ${body}
  </section>`

const expiringHtml = (
  { expiring }: PanelNeeds,
  { shop, me, language, locale }: PortalVisitor,
  at: Instant,
): Html => {
  const texts = overviewTexts[language]
  const found = expiring(shop.merchant, at, at + dayMs, 10 * mostShown)
    .filter(({ posId }) => isTheirPos(me.terms, posId))
    .slice(0, mostShown)
  if (found.length === 0) return empty(texts.expiringNone)
  return html`<ul class="list">
    ${found.map(
      ({ tid, posTid, posId, currency, amountLeft, additionalAmountLeft, expiresAt }) =>
        html`<li>
          <a class="row" href="${portalPath(shop.merchant, `payments/${tid}`)}">
            <span
              ><span class="name">${posTid}</span>
              <span class="quiet small"
                >${posId} · ${texts.ends} ${shownTime(expiresAt, locale)}</span
              ></span
            >
            <b>${shownAmount(amountLeft + additionalAmountLeft, currency, locale)}</b>
          </a>
        </li>`,
    )}
  </ul>`
}

const callbacksHtml = ({ failingCallbacks }: PanelNeeds, visitor: PortalVisitor): Html => {
  const texts = overviewTexts[visitor.language]
  const found = failingCallbacks(visitor.shop.merchant, mostShown)
  if (found.length === 0) return empty(texts.callbacksNone)
  const words = { since: texts.callbackSince, rests: texts.callbackRests }
  return failingAddresses(found, words, visitor)
}

const payoutHtml = (
  { nextPayout }: PanelNeeds,
  { shop, language, locale }: PortalVisitor,
): Html => {
  const texts = overviewTexts[language]
  const { dueAt, sums, hasAccount } = nextPayout(shop.merchant)
  const isDebt = sums.some(({ sum }) => sum.startsWith('-'))
  return html`${sums.map(
      ({ currency, sum }) =>
        html`<p class="figure">${shownMoney(formatAmount(sum, currency), currency, locale)}</p>`,
    )}
    <p class="quiet">
      ${dueAt === null ? texts.payoutNone : filled(texts.payoutOn, shownTime(dueAt, locale))}
    </p>
    ${isDebt ? html`<p class="quiet small">${texts.payoutDebt}</p>` : ''}
    ${hasAccount ? '' : html`<p><span class="badge warn">${texts.noPayoutAccount}</span></p>`}`
}

const newsHtml = async (needs: PanelNeeds, visitor: PortalVisitor): Promise<Html> => {
  const { shop, me, language, locale } = visitor
  const texts = overviewTexts[language]
  // The visit that goes on is not the last one.
  const since = me.visits[1] ?? me.visits[0]
  if (!since) return empty(texts.newsFirst)
  const words = newsWords(language)
  const nameOf = await actorNames(needs)(shop.merchant, language)
  const found = needs
    .newsAfter(shop.merchant, since.position, newsRead)
    .flatMap((one) => {
      const word = words(one)
      const isOwn = one.actor === staffActor(me.member)
      return word && !isOwn && mayDo(me.terms, word.action) ? [{ ...one, ...word }] : []
    })
    .slice(0, mostShown)
  if (found.length === 0) return empty(texts.newsNone)
  const items = found.map(
    async ({ text, at, actor }) =>
      html`<li class="row">
        <span
          ><span class="name">${text}</span>
          <span class="quiet small">${await nameOf(actor)} · ${shownTime(at, locale)}</span></span
        >
      </li>`,
  )
  return html`<ul class="list">
    ${await Promise.all(items)}
  </ul>`
}

/** What needs somebody soon, and what has happened; each role sees its own. */
export const panelsHtml = async (
  needs: PanelNeeds,
  visitor: PortalVisitor,
  at: Instant,
): Promise<Html> => {
  const texts = overviewTexts[visitor.language]
  const may = (action: StaffAction) => mayDo(visitor.me.terms, action)
  return html`<div class="panels">
    ${may('see_money') ? panel(texts.payout, payoutHtml(needs, visitor)) : ''}
    ${panel(texts.expiring, expiringHtml(needs, visitor, at))}
    ${may('see_developers') ? panel(texts.callbacks, callbacksHtml(needs, visitor)) : ''}
    ${panel(texts.news, await newsHtml(needs, visitor))}
  </div>`
}
