import { Link, type Html } from './components.tsx'
import { secondsAfter, type Instant, type Seconds } from '../../domain/time.ts'
import type { RawStatus } from '../../http/route.ts'
import { clockTime } from './money.tsx'
import { type FooterLinks, pageReply } from './page.tsx'
import { type Texts, readersLanguage } from './texts.ts'
import { filled } from './words.tsx'
import { plainText } from '../../texts/message.ts'
import type { FailedRequest } from '../../http/app.ts'
import type { Reply } from '../../http/replies.ts'
import { textsIn } from '../../texts/catalogue.ts'

/** What a page says of an error. */
export type PageProblem = {
  readonly status: RawStatus
  readonly text: string
  readonly retryAfter?: Seconds | null
  /** Names the refusal, which may have a title of its own. */
  readonly code?: string
}

type Problem = Omit<PageProblem, 'status'> & {
  readonly texts: Texts
  readonly locale: string
  readonly status: number
  readonly now: Instant
  /** The page from which it came. */
  readonly back?: string | undefined
  /** Where it goes on if not there. */
  readonly home?: string
  readonly more?: Html
}

/** What happened, and where to go from there. */
export const problemPage = (problem: Problem): { readonly title: string; readonly body: Html } => {
  const { texts, locale, status, code, text, now, back, retryAfter = null } = problem
  const { home = '/payer/', more = '' } = problem
  const title =
    plainText(texts, `title_${code}`) ?? plainText(texts, `title${status}`) ?? texts.error
  const again =
    retryAfter === null ? undefined : clockTime(secondsAfter(now, retryAfter), now, locale)
  const body = (
    <div class="card">
      <h1>{title}</h1>
      <p>{text}</p>
      {again !== undefined && <p>{filled(texts.tryAgainAt, { time: again })}</p>}
      {more}
      <div class="actions">
        {back !== undefined && <Link class="button" href={back} text={texts.backToPage} />}
        <Link
          class={`button ${back === undefined ? '' : 'second'}`}
          href={home}
          text={texts.toStart}
        />
      </div>
    </div>
  )
  return { title, body }
}

export const retryAfterOf = (headers: Reply['headers']): Seconds | null => {
  const wait = Number(headers?.['Retry-After'] ?? Number.NaN)
  return Number.isFinite(wait) ? wait : null
}

/** The error page when no other page can answer. */
export const makeErrorPage =
  ({ isSecure, footer }: { readonly isSecure: boolean; readonly footer: FooterLinks }) =>
  async ({ status, headers }: Reply, { header, requestId, now }: FailedRequest): Promise<Reply> => {
    const { language, locale } = readersLanguage({ header })
    const texts = textsIn[language].payer
    const page = await pageReply({
      language: locale,
      texts,
      isSecure,
      footer,
      ...problemPage({
        texts,
        locale,
        status,
        now,
        text: plainText(texts, `problem${status}`) ?? texts.wrongInput,
        retryAfter: retryAfterOf(headers),
        more:
          status < 500 ? null : (
            <p class="quiet small">
              {texts.problemId} <code>{requestId}</code>
            </p>
          ),
      }),
    })
    const own = { ...page.headers, 'Content-Type': page.type, 'Cache-Control': 'no-store' }
    return { status, headers: { ...headers, ...own }, body: page.body }
  }
