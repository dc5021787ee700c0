import { html } from 'hono/html'
import type { Context } from '../../application/handle.ts'
import type { Revoker } from '../../domain/people/grant.ts'
import { refuse } from '../../domain/refusal.ts'
import type { GrantedPermission } from '../../projections/grants.ts'
import { contextOfPayer, type Call, type RawReply, type Route } from '../route.ts'
import { shownTime } from './money.ts'
import { payerPages } from './pages.ts'
import { fieldOf, hiddenFields, type Form, type SignedIn, type Visits } from './session.ts'

export type PayerPermissionsNeeds = {
  readonly caughtUp: () => Promise<void>
  readonly shopName: (merchant: string) => string
  readonly grantsOf: (payer: string) => readonly GrantedPermission[]
  /** What an application is called; undefined for a merchant's own id. */
  readonly applicationName: (client: string) => string | undefined
  readonly revokeGrant: (grant: string, by: Revoker, context: Context) => Promise<void>
}

/** Where payers see who knows what about them, and withdraw it. */
export const payerPermissionsRoutes = (needs: PayerPermissionsNeeds, visits: Visits): Route[] => {
  const { page, form } = payerPages(visits)

  const permissions = async (visitor: SignedIn): Promise<RawReply> => {
    await needs.caughtUp()
    const { texts, csrf, locale } = visitor
    const live = needs.grantsOf(visitor.session.payer).filter(({ isRevoked }) => !isRevoked)
    return visits.show(visitor, {
      title: texts.permissions,
      body: html`<div class="card">
        <h1>${texts.permissions}</h1>
        ${live.length === 0 ? html`<p class="quiet">${texts.permissionsEmpty}</p>` : ''}
        <ul class="list">
          ${live.map(
            ({ grant, merchant, client, scope, grantedAt }) =>
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
                  ${hiddenFields({ csrf, grant })}
                  <button class="second">${texts.withdraw}</button>
                </form>
              </li>`,
          )}
        </ul>
      </div>`,
    })
  }

  const withdraw = async (
    visitor: SignedIn,
    call: Call<undefined, undefined, Form>,
  ): Promise<RawReply> => {
    await needs.caughtUp()
    const grant = fieldOf(call.body, 'grant')
    const { payer } = visitor.session
    const own = needs.grantsOf(payer).find((granted) => granted.grant === grant)
    if (!own) return refuse('resource_is_unknown')
    await needs.revokeGrant(grant, 'payer', contextOfPayer(call, payer, own.merchant))
    return visits.go(visitor, '/payer/permissions')
  }

  return [
    page({ path: '/payer/permissions', summary: 'Who knows what about the payer' }, permissions),
    form({ path: '/payer/permissions', summary: 'Withdraw a permission' }, withdraw),
  ]
}
