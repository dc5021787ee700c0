import { html } from 'hono/html'
import type { FooterLinks } from './page.ts'
import { pageReply } from './page.ts'
import { languageOf, textsIn } from './texts.ts'
import type { Reply } from '../replies.ts'

/** Who was to see an error, and its request id, by which the operator finds it in the log. */
export type FailedRequest = {
  readonly acceptLanguage: string | undefined
  readonly requestId: string
}

/** Shows a browser what went wrong where no page could answer: no page is there, or the service fails. */
export const makeErrorPage =
  ({ isSecure, footer }: { readonly isSecure: boolean; readonly footer: FooterLinks }) =>
  async (
    { status, headers }: Reply,
    { acceptLanguage, requestId }: FailedRequest,
  ): Promise<Reply> => {
    const { language, locale } = languageOf(acceptLanguage)
    const texts = textsIn[language]
    const known: Readonly<Record<string, string>> = texts
    const page = await pageReply({
      language: locale,
      texts,
      title: texts.error,
      isSecure,
      footer,
      body: html`<div class="card">
        <h1>${texts.error}</h1>
        <p>${known[`problem${status}`] ?? texts.wrongInput}</p>
        ${
          status < 500
            ? ''
            : html`<p class="quiet small">${texts.problemId} <code>${requestId}</code></p>`
        }
        <div class="actions"><a class="button second" href="/payer/">${texts.home}</a></div>
      </div>`,
    })
    const own = { ...page.headers, 'Content-Type': page.type, 'Cache-Control': 'no-store' }
    return { status, headers: { ...headers, ...own }, body: page.body }
  }
