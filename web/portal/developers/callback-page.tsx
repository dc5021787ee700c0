import { Card, Crumbs, Quiet, Table, type Row, type Html } from '../../ui/components.tsx'
import { mayDo } from '../../../domain/merchant/staff-roles.ts'
import type { Attempt } from '../../../domain/callback.ts'
import type { ReceiverAnswer } from '../../../application/merchant-request.ts'
import type { CallbackMessageRow } from '../../../projections/callback-message-table.ts'
import { summaryView } from '../../../http/merchant/callback-reply.ts'
import { shopTime } from '../../ui/money.tsx'
import type { Call } from '../../../http/call.ts'
import { recordMessageReading, type RecordingNeeds } from '../../../http/personal-data.ts'
import { portalPath } from '../areas.ts'
import { contextOfStaff } from '../guard.ts'
import type { PortalPage, PortalVisitor } from '../page.tsx'
import { problemText } from '../problem-texts.ts'
import { callbacksPath, type CallbackListNeeds, statusBadge } from './callback-list.tsx'
import {
  actHtml,
  callbackWords,
  codeBlock,
  copyHtml,
  developersPage,
  factsHtml,
  textsOf,
} from './parts.tsx'

const resultKinds = { delivered: 'good', failed: 'bad', gone: 'bad' } as const

/** The clock of the record and that of the sending differ by as much. */
const recordedWithinMs = 2_000

/** What the receiver answered to an attempt, if it is still known. */
const answerTo = (
  { httpStatus, attemptedAt }: Attempt,
  answers: readonly ReceiverAnswer[],
): string | undefined =>
  answers.find(
    ({ at, status }) =>
      status === httpStatus && Math.abs(Date.parse(at) - attemptedAt) < recordedWithinMs,
  )?.answer

const attemptHtml = (
  visitor: PortalVisitor,
  one: Attempt,
  answers: readonly ReceiverAnswer[],
): Row => {
  const answer = answerTo(one, answers)
  const { result, httpStatus, problem, attemptedAt, uri, durationMs } = one
  const took = durationMs === undefined ? '' : `${durationMs} ms`
  return [
    shopTime(attemptedAt, visitor),
    [
      <b class={`badge ${resultKinds[result]}`}>{httpStatus ?? '—'}</b>,
      ' ',
      problem !== null && <span class="value">{problemText(problem, visitor.language)}</span>,
      answer !== undefined && (
        <span class="value">
          {textsOf(visitor).receiverAnswer} <code>{answer}</code>
        </span>
      ),
    ],
    { number: took },
    { kind: 'dev-long', text: <code>{uri}</code> },
  ]
}

const attemptsHtml = (
  visitor: PortalVisitor,
  attempts: readonly Attempt[],
  answers: readonly ReceiverAnswer[],
): Html => {
  const texts = textsOf(visitor)
  if (attempts.length === 0) return <Quiet text={texts.noAttempts} />
  const heads = [texts.time, texts.status, { number: texts.took }, texts.callbackAddress]
  const rows = attempts.toReversed().map((one) => attemptHtml(visitor, one, answers))
  return <Table label={texts.attempts} kind="grid stacks" heads={heads} rows={rows} />
}

/** A payment leads to its page. */
const aboutHtml = (visitor: PortalVisitor, { subject }: CallbackMessageRow): Html => {
  const [, tid] = /^payment-(.+)$/.exec(subject) ?? []
  return tid === undefined ? (
    <code>{subject}</code>
  ) : (
    <a href={portalPath(visitor.shop.merchant, `payments/${tid}`)}>
      <code>{tid}</code>
    </a>
  )
}

const bodyHtml = (visitor: PortalVisitor, body: string, wasSent: boolean): Html => {
  const texts = textsOf(visitor)
  return (
    <Card title={wasSent ? texts.bodyWas : texts.bodyWill}>
      {codeBlock(visitor, 'body', JSON.stringify(JSON.parse(body), null, 2))}
      <details class="asked">
        <summary>{texts.byteForByte}</summary>
        {codeBlock(visitor, 'bytes', body)}
      </details>
    </Card>
  )
}

export type CallbackPageNeeds = CallbackListNeeds &
  RecordingNeeds & {
    /** The first bytes of what receivers answered to a message in the last days. */
    readonly answersOf: (merchant: string, message: string) => readonly ReceiverAnswer[]
  }

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
    tab: 'callbacks',
    title: callbackWords(visitor, row.event),
    done,
    follow: portalPath(merchant, `events?after=${newest}`),
    body: [
      <Crumbs links={[[callbacksPath(merchant), texts.tab_callbacks]]} />,
      <div class="beside">
        <div data-part="message">
          <section class="card">
            <h2>
              {callbackWords(visitor, row.event)} {statusBadge(visitor, row)}
            </h2>
            {factsHtml([
              [texts.event, <code>{row.event}</code>],
              [texts.message, copyHtml(visitor, 'message', row.id)],
              [texts.about, aboutHtml(visitor, row)],
              [texts.time, shopTime(row.at, visitor)],
              [texts.callbackAddress, <code>{uri ?? '—'}</code>],
              ...(typeof next === 'number'
                ? [[texts.nextAttempt, shopTime(next, visitor)] as const]
                : []),
            ])}
            {mayRetry && actHtml(visitor, { path, change: 'retry', label: texts.retry })}
          </section>
          <Card title={texts.attempts}>
            {attemptsHtml(visitor, attempts, needs.answersOf(merchant, row.id))}
          </Card>
        </div>
        {bodyHtml(visitor, body, attempts.length > 0)}
      </div>,
    ],
  })
}
