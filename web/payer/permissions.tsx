import { Actions, Hidden, type Html } from '../ui/components.tsx'
import type { Context } from '../../application/handle.ts'
import type { Profile } from '../../domain/people/profile.ts'
import { refuse } from '../../domain/refusal.ts'
import type { StandingConsent } from '../../projections/grants.ts'
import { contextOfPayer, searchOf, type Call } from '../../http/call.ts'
import { fieldOf } from '../../http/forms.ts'
import type { RawReply, Route } from '../../http/route.ts'
import { utcTime } from '../ui/money.tsx'
import { pageAsks } from './page-documentation.ts'
import { payerPages } from './pages.ts'
import { linkToOlder, pageIn } from '../ui/paging.tsx'
import { scopeList } from './scope-choice.tsx'
import { type SignedIn, type Visits } from './session.tsx'
import { filled, unseen } from '../ui/words.tsx'

export type PayerPermissionsNeeds = {
  readonly caughtUp: () => Promise<void>
  readonly shopName: (merchant: string) => string
  readonly findProfile: (payer: string) => Promise<Profile | undefined>
  /** One per client, newest first. */
  readonly consentsOf: (payer: string, before: number, limit: number) => readonly StandingConsent[]
  readonly findConsent: (payer: string, client: string) => StandingConsent | undefined
  /** Undefined for a merchant's own id. */
  readonly applicationName: (client: string) => string | undefined
  /** Ends all grants to a client, with their tokens. */
  readonly withdrawConsent: (payer: string, client: string, context: Context) => Promise<void>
}

/** Withdraws consent from a client at once. @throws Refusal resource_is_unknown */
export const withdrawal =
  ({ caughtUp, findConsent, withdrawConsent }: PayerPermissionsNeeds) =>
  async (payer: string, client: string, call: Call): Promise<void> => {
    await caughtUp()
    const { merchant } = findConsent(payer, client) ?? refuse('resource_is_unknown')
    await withdrawConsent(payer, client, contextOfPayer(call, payer, merchant))
  }

export const payerPermissionsRoutes = (needs: PayerPermissionsNeeds, visits: Visits): Route[] => {
  const { page, form } = payerPages(visits)
  const end = withdrawal(needs)

  const nameOf = ({ client, merchant }: Pick<StandingConsent, 'client' | 'merchant'>): string =>
    needs.applicationName(client) ?? needs.shopName(merchant)

  const consentHtml = (
    visitor: SignedIn,
    consent: StandingConsent,
    profile: Profile | undefined,
  ): Html => {
    const { texts, locale } = visitor
    const { client, merchant, scope, grantedAt } = consent
    const isApplication = needs.applicationName(client) !== undefined
    const href = `/payer/permissions?${new URLSearchParams({ withdraw: client }).toString()}`
    return (
      <li class="consent">
        <h2>{nameOf(consent)}</h2>
        {isApplication && <p class="quiet">{needs.shopName(merchant)}</p>}
        {scopeList(visitor, scope, profile)}
        <div class="row">
          <span class="quiet small">
            {' '}
            {filled(texts.since, { time: utcTime(grantedAt, locale) })}{' '}
          </span>
          <a class="button second slim" href={href}>
            {texts.withdraw}
            {unseen(` ${nameOf(consent)}`)}
          </a>
        </div>
      </li>
    )
  }

  /** Explains the withdrawal before it is done. */
  const confirmation = (visitor: SignedIn, client: string): Promise<RawReply> => {
    const { texts, csrf, session } = visitor
    const consent = needs.findConsent(session.payer, client) ?? refuse('resource_is_unknown')
    const title = filled(texts.withdrawAsk, { application: nameOf(consent) })
    return visits.show(visitor, {
      title: texts.withdraw,
      body: (
        <form class="card" method="post" action="/payer/permissions">
          <h1>{title}</h1>
          <p>{texts.withdrawMeans}</p>
          <Hidden fields={{ csrf, grant: client }} />
          <Actions
            kind="danger"
            button={texts.withdrawYes}
            back="/payer/permissions"
            cancel={texts.withdrawNo}
          />
        </form>
      ),
    })
  }

  const permissions = async (visitor: SignedIn, call: Call): Promise<RawReply> => {
    await needs.caughtUp()
    const { texts, session } = visitor
    const search = searchOf(call)
    const withdrawn = search.get('withdraw')
    if (withdrawn !== null) return confirmation(visitor, withdrawn)
    const done = /^[\w-]{1,64}$/.exec(search.get('withdrawn') ?? '')?.[0] ?? null
    const profile = await needs.findProfile(session.payer)
    const { rows, older } = pageIn(call, '/payer/permissions', (before, limit) =>
      needs.consentsOf(session.payer, before, limit),
    )
    const doneName = done === null ? '' : (needs.applicationName(done) ?? needs.shopName(done))
    return visits.show(visitor, {
      title: texts.permissions,
      body: [
        done !== null && (
          <p class="state good" role="status">
            <span>{filled(texts.withdrawn, { application: doneName })}</span>
          </p>
        ),
        <div class="card">
          <h1>{texts.permissions}</h1>
          <p class="quiet">{rows.length === 0 ? texts.permissionsEmpty : texts.permissionsHint}</p>
          <ul class="list">{rows.map((consent) => consentHtml(visitor, consent, profile))}</ul>
          {linkToOlder(visitor, older)}
        </div>,
      ],
    })
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
      async (visitor, call) => {
        const client = fieldOf(call.body, 'grant')
        await end(visitor.session.payer, client, call)
        const query = new URLSearchParams({ withdrawn: client })
        return visits.go(visitor, `/payer/permissions?${query.toString()}`)
      },
    ),
  ]
}
