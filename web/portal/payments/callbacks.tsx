import { Link, Quiet, type Html } from '../../ui/components.tsx'
import { messagesOfPayment, type PaymentMessage } from '../../../application/payment-history.ts'
import { mayDo } from '../../../domain/merchant/staff-roles.ts'
import type { CallbackMessageRow } from '../../../projections/callback-message-table.ts'
import type { CallbackNeeds } from '../../../http/merchant/callback.ts'
import { shopTime } from '../../ui/money.tsx'
import { filled } from '../../ui/words.tsx'
import { callbacksPath, badgeHtml } from '../developers/callback-list.tsx'
import { callbackWords } from '../developers/parts.tsx'
import type { PortalVisitor } from '../page.tsx'
import { problemText } from '../problem-texts.ts'
import type { Catalogue } from '../../../texts/generated/texts.ts'

type CallbackOfPayment = PaymentMessage<CallbackMessageRow>

export type MessageNeeds = Pick<CallbackNeeds, 'callbackMessages' | 'attemptsOf'>

export const messagesIn = ({ callbackMessages, attemptsOf }: MessageNeeds) =>
  messagesOfPayment((...about) => callbackMessages.listAbout(...about), attemptsOf)

export const mostMessages = 20

/** The newest messages, and whether there are older ones. */
export const messagesOf = async (needs: MessageNeeds, tid: string, before: number | undefined) => {
  const found = await messagesIn(needs)(tid, mostMessages + 1, before)
  return { messages: found.slice(0, mostMessages), hasMore: found.length > mostMessages }
}

/** The way to the other pages of a list. */
export const furtherHtml = (
  newest: readonly [href: string, name: string] | undefined,
  older: readonly [href: string, name: string] | undefined,
): Html => {
  const links = [newest, older].flatMap((one) => (one ? [one] : []))
  if (links.length === 0) return null
  return (
    <p class="pages">
      {links.map(([href, name]) => (
        <Link class="lone" href={href} text={name} />
      ))}
    </p>
  )
}

const attemptHtml = (
  visitor: PortalVisitor,
  texts: Catalogue['payments'],
  { attemptedAt, uri, httpStatus, problem, durationMs }: CallbackOfPayment['tries'][number],
): Html => {
  const answer =
    httpStatus === null
      ? problemText(problem ?? '', visitor.language)
      : filled(texts.callbackAnswered, { status: httpStatus })
  return (
    <li>
      {shopTime(attemptedAt, visitor)} · {answer}
      {durationMs !== undefined && ` · ${durationMs} ms`} <span class="quiet">{uri}</span>
    </li>
  )
}

/** Leads whoever may see it to the body of the message. */
const nameHtml = (visitor: PortalVisitor, { id, event }: CallbackOfPayment): Html => {
  const { me, shop } = visitor
  const words = callbackWords(visitor, event)
  const path = callbacksPath(shop.merchant, `/${id}`)
  return [
    mayDo(me.terms, 'see_developers') ? <a href={path}>{words}</a> : words,
    ' ',
    <code class="quiet">{event}</code>,
  ]
}

/** What was told of a payment, and what the receiver answered. */
export const callbacksHtml = (
  visitor: PortalVisitor,
  texts: Catalogue['payments'],
  messages: readonly CallbackOfPayment[],
): Html =>
  messages.length === 0 ? (
    <Quiet text={texts.callbackNone} />
  ) : (
    <ul class="told">
      {messages.map((one) => (
        <li>
          <p>
            {nameHtml(visitor, one)} {badgeHtml(one.status, texts[`callback_${one.status}`])}{' '}
            <span class="quiet small">{shopTime(one.at, visitor)}</span>
          </p>
          {one.tries.length > 0 && (
            <ol class="small">
              {one.tries.slice(-10).map((each) => attemptHtml(visitor, texts, each))}
            </ol>
          )}
        </li>
      ))}
    </ul>
  )
