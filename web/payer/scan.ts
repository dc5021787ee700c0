import { html } from 'hono/html'
import { contextOfPayer, searchOf } from '../../http/call.ts'
import { fieldOf } from '../../http/forms.ts'
import type { RawReply, Route } from '../../http/route.ts'
import { pageAsks } from './page-asks.ts'
import { payerPages } from './pages.ts'
import { followCode, type ScannedCodeNeeds } from './scanned-code.ts'
import { hiddenFields, problemNote, type SignedIn, type Visits } from './session.ts'

export const payerScanRoutes = (needs: ScannedCodeNeeds, visits: Visits): Route[] => {
  const { page, form } = payerPages(visits)
  const follow = followCode(needs)

  const scanPage = (visitor: SignedIn, scanned: string, problem?: string): Promise<RawReply> => {
    const { texts, csrf } = visitor
    return visits.show(visitor, {
      title: texts.scan,
      status: problem === undefined ? 200 : 404,
      body: html`<form class="card" method="post" action="/payer/scan">
        <h1>${texts.scan}</h1>
        ${problemNote(problem)} ${hiddenFields({ csrf })}
        <p>${texts.scanHint}</p>
        <label for="text">${texts.scanned}</label>
        <input
          id="text"
          name="text"
          autocomplete="off"
          maxlength="2048"
          required
          value="${scanned}"
        />
        <div class="actions"><button>${texts.continue}</button></div>
      </form>`,
    })
  }

  return [
    page({ path: '/payer/scan', summary: 'Scan a code', ...pageAsks.list }, (visitor, call) =>
      scanPage(visitor, searchOf(call).get('text') ?? ''),
    ),
    form(
      { path: '/payer/scan', summary: 'Go where a code leads', ...pageAsks.scan },
      async (visitor, call) => {
        const { payer } = visitor.session
        const text = fieldOf(call.body, 'text')
        const path = await follow(text, payer, contextOfPayer(call, payer))
        return path === undefined
          ? scanPage(visitor, text, visitor.texts.wrongScan)
          : visits.go(visitor, path)
      },
    ),
  ]
}
