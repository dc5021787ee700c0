import { html } from 'hono/html'
import { toldOfPayment, type ToldOfPayment } from '../../../application/payment-history.ts'
import { mayDo } from '../../../domain/merchant/staff-roles.ts'
import type { CallbackMessageRow } from '../../../projections/callback-message-table.ts'
import type { CallbackNeeds } from '../../../http/merchant/callback.ts'
import { shownTime } from '../../ui/money.ts'
import type { Html } from '../../ui/page.ts'
import { filled } from '../../ui/words.ts'
import { callbacksPath, badgeHtml } from '../developers/callback-list.ts'
import { callbackWords } from '../developers/parts.ts'
import type { PortalVisitor } from '../page.ts'
import { quiet } from '../parts.ts'
import { problemText } from '../problem-texts.ts'
import type { Catalogue } from '../../../texts/generated/texts.ts'

type Told = ToldOfPayment<CallbackMessageRow>

export type ToldNeeds = Pick<CallbackNeeds, 'callbackMessages' | 'attemptsOf'>

export const toldIn = ({ callbackMessages, attemptsOf }: ToldNeeds) =>
  toldOfPayment((...about) => callbackMessages.listAbout(...about), attemptsOf)

export const mostMessages = 20

/** The newest messages, and whether there are older ones. */
export const messagesOf = async (needs: ToldNeeds, tid: string, before: number | undefined) => {
  const found = await toldIn(needs)(tid, mostMessages + 1, before)
  return { messages: found.slice(0, mostMessages), hasMore: found.length > mostMessages }
}

/** The way to the other pages of a list. */
export const furtherHtml = (
  newest: readonly [href: string, name: string] | undefined,
  older: readonly [href: string, name: string] | undefined,
): Html | '' => {
  const links = [newest, older].flatMap((one) => (one ? [one] : []))
  if (links.length === 0) return ''
  return html`<p class="pages">
    ${links.map(([href, name]) => html`<a class="lone" href="${href}">${name}</a>`)}
  </p>`
}

const attemptHtml = (
  { locale, language }: PortalVisitor,
  texts: Catalogue['payments'],
  { attemptedAt, uri, httpStatus, problem, durationMs }: Told['tries'][number],
): Html => {
  const answer =
    httpStatus === null
      ? problemText(problem ?? '', language)
      : filled(texts.callbackAnswered, { status: httpStatus })
  return html`<li>
    ${shownTime(attemptedAt, locale)} ·
    ${answer}${durationMs === undefined ? '' : ` · ${durationMs} ms`}
    <span class="quiet">${uri}</span>
  </li>`
}

/** Leads whoever may see it to the body of the message. */
const nameHtml = (visitor: PortalVisitor, { id, event }: Told): Html => {
  const { me, shop } = visitor
  const words = callbackWords(visitor, event)
  const path = callbacksPath(shop.merchant, `/${id}`)
  return html`${mayDo(me.terms, 'see_developers') ? html`<a href="${path}">${words}</a>` : words}
    <code class="quiet">${event}</code>`
}

/** What was told of a payment, and what the receiver answered. */
export const callbacksHtml = (
  visitor: PortalVisitor,
  texts: Catalogue['payments'],
  told: readonly Told[],
): Html =>
  told.length === 0
    ? quiet(texts.callbackNone)
    : html`<ul class="told">
        ${told.map(
          (one) =>
            html`<li>
              <p>
                ${nameHtml(visitor, one)} ${badgeHtml(one.status, texts[`callback_${one.status}`])}
                <span class="quiet small">${shownTime(one.at, visitor.locale)}</span>
              </p>
              ${
                one.tries.length === 0
                  ? ''
                  : html`<ol class="small">
                      ${one.tries.slice(-10).map((each) => attemptHtml(visitor, texts, each))}
                    </ol>`
              }
            </li>`,
        )}
      </ul>`
