import { html } from 'hono/html'
import { staffActor } from '../../domain/merchant/staff.ts'
import { isTheirPos, mayDo, type StaffAction } from '../../domain/merchant/staff-roles.ts'
import { dayMs, type Instant } from '../../domain/time.ts'
import { shownAmount, shownTime } from '../ui/money.ts'
import type { Html } from '../ui/page.ts'
import { actorNames, type ActorNeeds } from './actors.ts'
import { portalPath } from './areas.ts'
import { callbacksPath } from './developers/callback-list.ts'
import { failingAddresses, type FailingAddress } from './failing-addresses.ts'
import { newsWords } from './news-words.ts'
import { nextPayoutHtml, type NextPayoutNeeds } from './next-payout.ts'
import type { PortalVisitor } from './page.ts'
import { card, quiet } from './parts.ts'
import { textsIn } from '../../texts/catalogue.ts'

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

export type PanelNeeds = ActorNeeds &
  NextPayoutNeeds & {
    readonly expiring: (
      merchant: string,
      from: Instant,
      until: Instant,
      limit: number,
    ) => readonly Expiring[]
    readonly failingCallbacks: (merchant: string, limit: number) => readonly FailingAddress[]
    readonly newsAfter: (merchant: string, position: number, limit: number) => readonly News[]
  }

const mostShown = 8
const newsRead = 60

const expiringHtml = (
  { expiring }: PanelNeeds,
  { shop, me, language, locale }: PortalVisitor,
  at: Instant,
  posName: (id: string) => string,
): Html => {
  const texts = textsIn[language].overview
  const found = expiring(shop.merchant, at, at + dayMs, 10 * mostShown)
    .filter(({ posId }) => isTheirPos(me.terms, posId))
    .slice(0, mostShown)
  if (found.length === 0) return quiet(texts.expiringNone)
  return html`<ul class="list">
    ${found.map(
      ({ tid, posTid, posId, currency, amountLeft, additionalAmountLeft, expiresAt }) =>
        html`<li>
          <a class="row" href="${portalPath(shop.merchant, `payments/${tid}`)}">
            <span
              ><span class="name">${posTid} <small class="quiet">${posName(posId)}</small></span>
              <span class="quiet small">${texts.ends} ${shownTime(expiresAt, locale)}</span></span
            >
            <b>${shownAmount(amountLeft + additionalAmountLeft, currency, locale)}</b>
          </a>
        </li>`,
    )}
  </ul>`
}

const callbacksHtml = ({ failingCallbacks }: PanelNeeds, visitor: PortalVisitor): Html => {
  const texts = textsIn[visitor.language].overview
  const found = failingCallbacks(visitor.shop.merchant, mostShown)
  if (found.length === 0) return quiet(texts.callbacksNone)
  const words = { since: texts.callbackSince, rests: texts.callbackRests }
  const link = (status: 'failed' | 'abandoned') =>
    html`<a class="lone" href="${callbacksPath(visitor.shop.merchant, `?status=${status}`)}"
      >${texts[`callbacks_${status}`]}</a
    >`
  return html`${failingAddresses(found, words, visitor)}
    <p class="buttons">${link('failed')} ${link('abandoned')}</p>`
}

const newsHtml = async (needs: PanelNeeds, visitor: PortalVisitor): Promise<Html> => {
  const { shop, me, language, locale } = visitor
  const texts = textsIn[language].overview
  // The visit that goes on is not the last one.
  const since = me.visits[1] ?? me.visits[0]
  if (!since) return quiet(texts.newsFirst)
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
  if (found.length === 0) return quiet(texts.newsNone)
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
  posName: (id: string) => string,
): Promise<Html> => {
  const texts = textsIn[visitor.language].overview
  const may = (action: StaffAction) => mayDo(visitor.me.terms, action)
  const payout = () => nextPayoutHtml(needs, visitor.shop.merchant, visitor)
  return html`<div class="panels">
    ${may('see_money') ? card(texts.payout, payout()) : ''}
    ${card(texts.expiring, expiringHtml(needs, visitor, at, posName))}
    ${may('see_developers') ? card(texts.callbacks, callbacksHtml(needs, visitor)) : ''}
    ${card(texts.news, await newsHtml(needs, visitor))}
  </div>`
}
