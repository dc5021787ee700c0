import { html } from 'hono/html'
import { Refusal } from '../../domain/refusal.ts'
import { contextOfPayer, searchOf, type Call } from '../../http/call.ts'
import { fieldOf } from '../../http/forms.ts'
import type { RawReply, Route } from '../../http/route.ts'
import { authenticators, type AccountNeeds } from './account-work.ts'
import { devicesHtml, type DevicesNeeds } from './devices.ts'
import { accountAsks } from './account-asks.ts'
import { pageAsks } from './page-asks.ts'
import type { Html } from '../ui/page.ts'
import { carryOut, type SecurityFormCall } from './security-changes.ts'
import { payerPages } from './pages.ts'
import { changeFormHtml, changes, titleOf, type ChangeForm } from './security-forms.ts'
import { hiddenFields, type SignedIn, type Visits } from './session.ts'

type SecurityNeeds = AccountNeeds &
  DevicesNeeds & {
    readonly qrImage: { readonly dataUrl: (text: string) => Promise<string> }
  }

/** A wrong factor is told on the form; other refusals have pages of their own. */
const isWrongFactor = (error: unknown): boolean =>
  error instanceof Refusal && error.code === 'sign_in_is_wrong'

const everywhereForm = ({ texts, csrf }: SignedIn): Html =>
  html`<form method="post" action="/payer/security">
    ${hiddenFields({ csrf, change: 'everywhere' })}
    <div class="actions"><button class="second">${texts.everywhere}</button></div>
  </form>`

/** What can be changed, and the sessions. */
const overview =
  (needs: SecurityNeeds, visits: Visits) => async (visitor: SignedIn, call: Call) => {
    await needs.caughtUp()
    const { texts, session } = visitor
    const search = searchOf(call)
    const done = search.has('everywhere') ? texts.everywhereDone : texts.changed
    const devices = needs.devicesOf(session.payer, call.at)
    const isDone = search.has('done') || search.has('everywhere')
    return visits.show(visitor, {
      title: texts.security,
      body: html`${isDone ? html`<p class="state good" role="status">${done}</p>` : ''}
        <div class="card">
          <h1>${texts.security}</h1>
          <ul class="list">
            ${changes.map(
              (change) =>
                html`<li>
                  <a class="row link" href="/payer/security?change=${change}"
                    >${titleOf(texts, change)}</a
                  >
                </li>`,
            )}
          </ul>
        </div>
        <div class="card">
          <h2>${texts.devices}</h2>
          ${devicesHtml(visitor, devices)} ${devices.length > 1 ? everywhereForm(visitor) : ''}
        </div>`,
    })
  }

/** Shows the form of a change, with a new authenticator where one is connected. */
const formPage = (needs: SecurityNeeds, visits: Visits) => {
  const { make, read } = authenticators(needs)
  return async (visitor: SignedIn, call: Call, form: ChangeForm): Promise<RawReply> => {
    const { texts, session } = visitor
    const { change, problem } = form
    let shown = form
    if (change === 'authenticator') {
      const { sealed = '' } = form
      const before = read(sealed, call.at)
      const made = before === undefined ? make(call.at) : { codeSecret: before, sealed }
      const { phone = '' } = (await needs.findProfile(session.payer)) ?? {}
      const uri = needs.codeUri(made.codeSecret, phone)
      const image = await needs.qrImage.dataUrl(uri)
      shown = { ...form, authenticator: { ...made, uri, image } }
    }
    return visits.show(visitor, {
      title: titleOf(texts, change),
      status: problem === undefined ? 200 : 400,
      body: changeFormHtml(visitor, shown),
    })
  }
}

export const payerSecurityRoutes = (needs: SecurityNeeds, visits: Visits): Route[] => {
  const { page, form } = payerPages(visits)
  const show = overview(needs, visits)
  const showForm = formPage(needs, visits)
  const change = carryOut(needs, visits)
  const named = (name: string | null) => changes.find((one) => one === name)

  const answer = async (visitor: SignedIn, call: SecurityFormCall): Promise<RawReply> => {
    const { session, texts } = visitor
    const name = named(fieldOf(call.body, 'change'))
    if (name === undefined) {
      const context = contextOfPayer(call, session.payer)
      await needs.signOutEverywhere(session.payer, session.digest, context)
      return visits.go(visitor, '/payer/security?everywhere')
    }
    const proof = fieldOf(call.body, 'proof') || undefined
    const sealed = fieldOf(call.body, 'authenticator')
    try {
      const result = await change(visitor, name, call)
      if (!('wrong' in result)) return result
      return showForm(visitor, call, {
        ...{ change: name, problem: result.wrong || undefined, proof: result.proof, sealed },
      })
    } catch (error) {
      if (!isWrongFactor(error)) throw error
      return showForm(visitor, call, { change: name, problem: texts.wrongFactors, proof, sealed })
    }
  }

  return [
    page(
      { path: '/payer/security', summary: 'How the payer signs in, and where', ...pageAsks.list },
      (visitor, call) => {
        const name = named(searchOf(call).get('change'))
        return name === undefined ? show(visitor, call) : showForm(visitor, call, { change: name })
      },
    ),
    form(
      {
        path: '/payer/security',
        summary: 'Change PIN, authenticator, recovery codes or number, end sessions, or close',
        ...accountAsks.security,
        hasNextPage: true,
      },
      answer,
    ),
  ]
}
