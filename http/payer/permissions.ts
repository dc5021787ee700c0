import { html } from 'hono/html'
import type { Context } from '../../application/handle.ts'
import type { Revoker } from '../../domain/people/grant.ts'
import { refuse } from '../../domain/refusal.ts'
import type { GrantedPermission } from '../../projections/grants.ts'
import { contextOfPayer, type Call } from '../call.ts'
import { fieldOf, type FormOf } from '../forms.ts'
import type { RawReply, Route } from '../route.ts'
import { shownTime } from './money.ts'
import { pageAsks, type withdrawalForm } from './page-asks.ts'
import { payerPages } from './pages.ts'
import { linkToOlder, pageIn } from './paging.ts'
import { hiddenFields, type SignedIn, type Visits } from './session.ts'

export type PayerPermissionsNeeds = {
  readonly caughtUp: () => Promise<void>
  readonly shopName: (merchant: string) => string
  /** What a payer has granted and not withdrawn, newest first. */
  readonly grantsOf: (payer: string, before: number, limit: number) => readonly GrantedPermission[]
  readonly findGrant: (grant: string) => GrantedPermission | undefined
  /** What an application is called; undefined for a merchant's own id. */
  readonly applicationName: (client: string) => string | undefined
  readonly revokeGrant: (grant: string, by: Revoker, context: Context) => Promise<void>
}

/** What a payer has granted, as that payer may name it: what another has does not exist. @throws Refusal */
export const grantFor =
  ({ caughtUp, findGrant }: Pick<PayerPermissionsNeeds, 'caughtUp' | 'findGrant'>) =>
  async (grant: string, payer: string): Promise<GrantedPermission> => {
    await caughtUp()
    const found = findGrant(grant)
    return found?.payer === payer ? found : refuse('resource_is_unknown')
  }

/** Where payers see who knows what about them, and withdraw it. */
export const payerPermissionsRoutes = (needs: PayerPermissionsNeeds, visits: Visits): Route[] => {
  const { page, form } = payerPages(visits)
  const find = grantFor(needs)

  const permissions = async (visitor: SignedIn, call: Call): Promise<RawReply> => {
    await needs.caughtUp()
    const { texts, csrf, locale } = visitor
    const { rows, older } = pageIn(call, '/payer/permissions', (before, limit) =>
      needs.grantsOf(visitor.session.payer, before, limit),
    )
    return visits.show(visitor, {
      title: texts.permissions,
      body: html`<div class="card">
        <h1>${texts.permissions}</h1>
        ${rows.length === 0 ? html`<p class="quiet">${texts.permissionsEmpty}</p>` : ''}
        <ul class="list">
          ${rows.map(
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
        ${linkToOlder(visitor, older)}
      </div>`,
    })
  }

  const withdraw = async (
    visitor: SignedIn,
    call: Call<undefined, undefined, FormOf<typeof withdrawalForm>>,
  ): Promise<RawReply> => {
    const { payer } = visitor.session
    const { grant, merchant } = await find(fieldOf(call.body, 'grant'), payer)
    await needs.revokeGrant(grant, 'payer', contextOfPayer(call, payer, merchant))
    return visits.go(visitor, '/payer/permissions')
  }

  return [
    page(
      { path: '/payer/permissions', summary: 'Who knows what about the payer', ...pageAsks.list },
      permissions,
    ),
    form(
      { path: '/payer/permissions', summary: 'Withdraw a permission', ...pageAsks.withdraw },
      withdraw,
    ),
  ]
}
