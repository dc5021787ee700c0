import { html } from 'hono/html'
import type { FailedRequest } from '../../http/app.ts'
import type { Seconds } from '../../domain/time.ts'
import { problemPage } from './problem.ts'
import { type FooterLinks, pageReply } from './page.ts'
import { languageOf } from './texts.ts'
import type { Reply } from '../../http/replies.ts'
import { textsIn } from '../../texts/catalogue.ts'
import { plainText } from '../../texts/message.ts'

const retryAfterOf = (headers: Reply['headers']): Seconds | null => {
  const wait = Number(headers?.['Retry-After'] ?? Number.NaN)
  return Number.isFinite(wait) ? wait : null
}

/** The error page when no other page can answer. */
export const makeErrorPage =
  ({ isSecure, footer }: { readonly isSecure: boolean; readonly footer: FooterLinks }) =>
  async (
    { status, headers }: Reply,
    { acceptLanguage, requestId, now }: FailedRequest,
  ): Promise<Reply> => {
    const { language, locale } = languageOf(acceptLanguage)
    const texts = textsIn[language].payer
    const page = await pageReply({
      ...{ language: locale, texts, isSecure, footer },
      ...problemPage({
        ...{ texts, locale, status, now },
        text: plainText(texts, `problem${status}`) ?? texts.wrongInput,
        retryAfter: retryAfterOf(headers),
        more:
          status < 500
            ? ''
            : html`<p class="quiet small">${texts.problemId} <code>${requestId}</code></p>`,
      }),
    })
    const own = { ...page.headers, 'Content-Type': page.type, 'Cache-Control': 'no-store' }
    return { status, headers: { ...headers, ...own }, body: page.body }
  }
