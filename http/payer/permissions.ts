import { html } from 'hono/html'
import type { Context } from '../../application/handle.ts'
import { refuse } from '../../domain/refusal.ts'
import type { StandingConsent } from '../../projections/grants.ts'
import { contextOfPayer, searchOf, type Call } from '../call.ts'
import { fieldOf, type FormOf } from '../forms.ts'
import type { RawReply, Route } from '../route.ts'
import { shownTime } from './money.ts'
import { pageAsks, type withdrawalForm } from './page-asks.ts'
import { payerPages } from './pages.ts'
import { linkToOlder, pageIn } from './paging.ts'
import { hiddenFields, type SignedIn, type Visits } from './session.ts'
import { filled } from './words.ts'

export type PayerPermissionsNeeds = {
  readonly caughtUp: () => Promise<void>
  readonly shopName: (merchant: string) => string
  /** Whom a payer lets know something, each once, the newest first. */
  readonly consentsOf: (payer: string, before: number, limit: number) => readonly StandingConsent[]
  readonly findConsent: (payer: string, client: string) => StandingConsent | undefined
  /** What an application is called; undefined for a merchant's own id. */
  readonly applicationName: (client: string) => string | undefined
  /** Ends all that a payer has granted to a client, with all its tokens. */
  readonly withdrawConsent: (payer: string, client: string, context: Context) => Promise<void>
}

/** Ends what a payer lets a client know, at once. @throws Refusal resource_is_unknown */
export const withdrawal =
  ({ caughtUp, findConsent, withdrawConsent }: PayerPermissionsNeeds) =>
  async (payer: string, client: string, call: Call): Promise<void> => {
    await caughtUp()
    const { merchant } = findConsent(payer, client) ?? refuse('resource_is_unknown')
    await withdrawConsent(payer, client, contextOfPayer(call, payer, merchant))
  }

/** Where payers see who knows what about them, and withdraw it. */
export const payerPermissionsRoutes = (needs: PayerPermissionsNeeds, visits: Visits): Route[] => {
  const { page, form } = payerPages(visits)
  const end = withdrawal(needs)

  const permissions = async (visitor: SignedIn, call: Call): Promise<RawReply> => {
    await needs.caughtUp()
    const { texts, csrf, locale } = visitor
    const withdrawn = searchOf(call).get('withdrawn') ?? ''
    const { rows, older } = pageIn(call, '/payer/permissions', (before, limit) =>
      needs.consentsOf(visitor.session.payer, before, limit),
    )
    return visits.show(visitor, {
      title: texts.permissions,
      body: html`<div class="card">
        <h1>${texts.permissions}</h1>
        ${
          /^[\w-]{1,64}$/.test(withdrawn)
            ? html`<p class="note" role="status">
                ${filled(texts.withdrawn, needs.applicationName(withdrawn) ?? needs.shopName(withdrawn))}
              </p>`
            : ''
        }
        ${rows.length === 0 ? html`<p class="quiet">${texts.permissionsEmpty}</p>` : ''}
        <ul class="list">
          ${rows.map(
            ({ merchant, client, scope, grantedAt }) =>
              html`<li>
                <form class="row" method="post" action="/payer/permissions">
                  <div>
                    ${needs.shopName(merchant)}
                    ${
                      needs.applicationName(client) === undefined
                        ? ''
                        : html`<span class="quiet">– ${needs.applicationName(client)}</span>`
                    }
                    <ul class="small">
                      ${scope.map((name) => html`<li>${texts[`scope_${name}`]}</li>`)}
                    </ul>
                    <span class="quiet small">${texts.since} ${shownTime(grantedAt, locale)}</span>
                  </div>
                  ${hiddenFields({ csrf, grant: client })}
                  <button class="second">${texts.withdraw}</button>
                </form>
              </li>`,
          )}
        </ul>
        ${linkToOlder(visitor, older)}
      </div>`,
    })
  }

  const withdraw = async (
    visitor: SignedIn,
    call: Call<undefined, undefined, FormOf<typeof withdrawalForm>>,
  ): Promise<RawReply> => {
    const { payer } = visitor.session
    const client = fieldOf(call.body, 'grant')
    await end(payer, client, call)
    return visits.go(visitor, `/payer/permissions?withdrawn=${encodeURIComponent(client)}`)
  }

  return [
    page(
      { path: '/payer/permissions', summary: 'Who knows what about the payer', ...pageAsks.list },
      permissions,
    ),
    form(
      {
        path: '/payer/permissions',
        summary: 'Withdraw all that an application or a merchant may know, with all its tokens',
        ...pageAsks.withdraw,
      },
      withdraw,
    ),
  ]
}
