import { html } from 'hono/html'
import type { Context } from '../../application/handle.ts'
import { contextOfPayer, searchOf, type Call, type RawReply, type Route } from '../route.ts'
import { payerPages } from './pages.ts'
import {
  fieldOf,
  hiddenFields,
  problemNote,
  type Form,
  type SignedIn,
  type Visits,
} from './session.ts'

export type PayerScanNeeds = {
  /**
   * Where to go with what a code says: a page of this service, or undefined when it is none of ours. Scanning may be
   * told to others, so it is done in the payer's name.
   */
  readonly scan: (text: string, payer: string, context: Context) => Promise<string | undefined>
}

/** Where payers go with a code that they have scanned. */
export const payerScanRoutes = (needs: PayerScanNeeds, visits: Visits): Route[] => {
  const { page, form } = payerPages(visits)

  const scanForm = (visitor: SignedIn, scanned: string, problem?: string): Promise<RawReply> => {
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

  const goWhereItLeads = async (
    visitor: SignedIn,
    call: Call<undefined, undefined, Form>,
  ): Promise<RawReply> => {
    const { payer } = visitor.session
    const text = fieldOf(call.body, 'text')
    const path = await needs.scan(text, payer, contextOfPayer(call, payer))
    return path === undefined
      ? scanForm(visitor, text, visitor.texts.error)
      : visits.go(visitor, path)
  }

  return [
    page({ path: '/payer/scan', summary: 'Scan a code' }, (visitor, call) =>
      scanForm(visitor, searchOf(call).get('text') ?? ''),
    ),
    form({ path: '/payer/scan', summary: 'Go where a code leads' }, goWhereItLeads),
  ]
}
