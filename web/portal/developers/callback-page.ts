import { html } from 'hono/html'
import { mayDo } from '../../../domain/merchant/staff-roles.ts'
import type { Attempt } from '../../../domain/callback.ts'
import type { CallbackMessageRow } from '../../../projections/callback-message-table.ts'
import { summaryView } from '../../../http/merchant/callback-reply.ts'
import { shownTime } from '../../ui/money.ts'
import type { Call } from '../../../http/call.ts'
import type { Html } from '../../ui/page.ts'
import { recordMessageReading, type RecordingNeeds } from '../../../http/personal-data.ts'
import { portalPath } from '../areas.ts'
import { contextOfStaff } from '../guard.ts'
import type { PortalPage, PortalVisitor } from '../page.ts'
import { card, crumbs, headedTable, quiet, scrolling } from '../parts.ts'
import { problemText } from '../problem-texts.ts'
import { callbacksPath, type CallbackListNeeds, statusBadge } from './callback-list.ts'
import {
  actHtml,
  callbackWords,
  codeBlock,
  copyHtml,
  developersPage,
  factsHtml,
  textsOf,
} from './parts.ts'

const resultKinds = { delivered: 'good', failed: 'bad', gone: 'bad' } as const

const attemptHtml = (visitor: PortalVisitor, one: Attempt): Html => {
  const { result, httpStatus, problem, attemptedAt, uri, durationMs } = one
  const took = durationMs === undefined ? '' : `${durationMs} ms`
  return html`<tr>
    <td>${shownTime(attemptedAt, visitor.locale)}</td>
    <td>
      <b class="badge ${resultKinds[result]}">${httpStatus ?? '—'}</b>
      ${
        problem === null
          ? ''
          : html`<span class="value">${problemText(problem, visitor.language)}</span>`
      }
    </td>
    <td class="number">${took}</td>
    <td class="dev-long"><code>${uri}</code></td>
  </tr>`
}

const attemptsHtml = (visitor: PortalVisitor, attempts: readonly Attempt[]): Html => {
  const texts = textsOf(visitor)
  if (attempts.length === 0) return quiet(texts.noAttempts)
  const heads = [texts.time, texts.status, { number: texts.took }, texts.callbackAddress]
  const rows = attempts.toReversed().map((one) => attemptHtml(visitor, one))
  return scrolling(texts.attempts, headedTable('grid stacks', heads, rows))
}

/** A payment leads to its page. */
const aboutHtml = (visitor: PortalVisitor, { subject }: CallbackMessageRow): Html => {
  const [, tid] = /^payment-(.+)$/.exec(subject) ?? []
  return tid === undefined
    ? html`<code>${subject}</code>`
    : html`<a href="${portalPath(visitor.shop.merchant, `payments/${tid}`)}"
        ><code>${tid}</code></a
      >`
}

const bodyHtml = (visitor: PortalVisitor, body: string, wasSent: boolean): Html => {
  const texts = textsOf(visitor)
  return card(
    wasSent ? texts.bodyWas : texts.bodyWill,
    html`${codeBlock(visitor, 'body', JSON.stringify(JSON.parse(body), null, 2))}
      <details class="asked">
        <summary>${texts.byteForByte}</summary>
        ${codeBlock(visitor, 'bytes', body)}
      </details>`,
  )
}

export type CallbackPageNeeds = CallbackListNeeds & RecordingNeeds

/** A message: what became of it, its attempts, and its body. */
export const callbackPage = async (
  needs: CallbackPageNeeds,
  visitor: PortalVisitor,
  row: CallbackMessageRow,
  { call, done }: { readonly call: Call; readonly done: string | undefined },
): Promise<PortalPage> => {
  const texts = textsOf(visitor)
  const { merchant } = visitor.shop
  const newest = needs.newestOf(merchant)
  const attempts = await needs.attemptsOf(row.id)
  const { callback_uri: uri, next_attempt: next } = summaryView(needs, row)
  // Without an address it stands in the feed, with its object.
  const body = await needs.wordCallback(row, attempts.at(-1)?.uri ?? uri ?? 'https:')
  const message = JSON.parse(body) as object
  recordMessageReading(needs, call, contextOfStaff(call, visitor), { about: row.subject, message })
  const mayRetry = mayDo(visitor.me.terms, 'change_callbacks') && uri !== null
  const path = callbacksPath(merchant, `/${row.id}`)
  return developersPage(visitor, {
    ...{ tab: 'callbacks', title: callbackWords(visitor, row.event), done },
    follow: portalPath(merchant, `events?after=${newest}`),
    body: html`${crumbs([callbacksPath(merchant), texts.tab_callbacks])}
      <div class="beside">
        <div data-part="message">
          <section class="card">
            <h2>${callbackWords(visitor, row.event)} ${statusBadge(visitor, row)}</h2>
            ${factsHtml([
              [texts.event, html`<code>${row.event}</code>`],
              [texts.message, copyHtml(visitor, 'message', row.id)],
              [texts.about, aboutHtml(visitor, row)],
              [texts.time, shownTime(row.at, visitor.locale)],
              [texts.callbackAddress, html`<code>${uri ?? '—'}</code>`],
              ...(typeof next === 'number'
                ? [[texts.nextAttempt, shownTime(next, visitor.locale)] as const]
                : []),
            ])}
            ${mayRetry ? actHtml(visitor, { path, change: 'retry', label: texts.retry }) : ''}
          </section>
          ${card(texts.attempts, attemptsHtml(visitor, attempts))}
        </div>
        ${bodyHtml(visitor, body, attempts.length > 0)}
      </div>`,
  })
}
