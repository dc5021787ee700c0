import { html } from 'hono/html'
import type { Instant } from '../../domain/time.ts'
import { shownClock } from './money.ts'
import type { Html } from './page.ts'
import type { Texts } from './texts.ts'
import { filled } from './words.ts'

export type Problem = {
  readonly texts: Texts
  readonly locale: string
  readonly status: number
  /** Names the refusal, when it has words of its own. */
  readonly code?: string | undefined
  readonly text: Html | string
  readonly now: Instant
  /** When to try again, where that is known. */
  readonly retryAt?: Instant | undefined
  /** The page from which it came. */
  readonly back?: string | undefined
  /** Where it goes on if not there. */
  readonly home?: string
  readonly more?: Html | ''
}

export const problemTitle = ({
  texts,
  status,
  code,
}: Pick<Problem, 'texts' | 'status' | 'code'>): string => {
  const known: Readonly<Record<string, string>> = texts
  return known[`title_${code}`] ?? known[`title${status}`] ?? texts.error
}

/** What happened, and where to go from there. */
export const problemHtml = (problem: Problem): Html => {
  const { texts, locale, text, now, retryAt, back, home = '/payer/', more = '' } = problem
  return html`<div class="card">
    <h1>${problemTitle(problem)}</h1>
    <p>${text}</p>
    ${
      retryAt === undefined
        ? ''
        : html`<p>${filled(texts.tryAgainAt, shownClock(retryAt, now, locale))}</p>`
    }
    ${more}
    <div class="actions">
      ${back === undefined ? '' : html`<a class="button" href="${back}">${texts.backToPage}</a>`}
      <a class="button ${back === undefined ? '' : 'second'}" href="${home}">${texts.toStart}</a>
    </div>
  </div>`
}
