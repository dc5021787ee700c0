import { assetRoute, joined, type AssetNeeds } from '../../http/assets.ts'
import { asPages, redirectReply } from '../ui/page.ts'
import { makeVisits, type SessionNeeds, hiddenFields, type Visits } from '../payer/session.ts'
import { type NeedsOf, type Route, route } from '../../http/route.ts'
import { operatorFeeRoutes } from './fees.ts'
import { operatorJournalRoutes } from './journal/routes.ts'
import { merchantPageRoutes, merchantSwitchRoutes } from './merchant.ts'
import { merchantListRoutes } from './merchants.ts'
import { operatorOverviewRoutes } from './overview.ts'
import { operatorPayoutRoutes } from './payouts/routes.ts'
import { operatorPeopleRoutes } from './people.ts'
import { operatorWatchRoutes } from './watch/routes.ts'
import { html } from 'hono/html'
import type { OperatorWork } from '../../application/operators.ts'
import { refuse } from '../../domain/refusal.ts'
import { contextOfPayer } from '../../http/call.ts'
import { fieldOf, type FormOf } from '../../http/forms.ts'
import { hidden, plainForm } from '../ui/fields.ts'
import { ofForm, ofPage } from '../payer/pages.ts'
import { operatorPath } from './areas.ts'
import { joinPath, operatorPages, type OperatorNeeds } from './pages.ts'
import { textsIn } from '../../texts/catalogue.ts'

type JoinNeeds = OperatorNeeds & Pick<OperatorWork, 'acceptOperator'>

const group = 'Operator'

const joinForm = plainForm.extend({ member: hidden('the invitation.') })

const joinRoutes = (needs: JoinNeeds, visits: Visits): Route[] => {
  const { inLobby } = operatorPages(needs, visits)
  return [
    route({
      ...{ ...ofPage, group, path: '/operator' },
      summary: 'On to the pages of the operator',
      success: 'raw otherwise',
      errors: { 303: 'On to `/operator/`.' },
      handle: () => redirectReply(operatorPath(), needs.isSecure),
    }),
    route({
      ...{ ...ofPage, group, path: joinPath },
      summary: 'An invitation to work for the operator',
      errors: { 303: 'Not signed in: on to the sign-in.', 404: 'Nobody has invited you.' },
      handle: (call) =>
        inLobby(call, async (visitor) => {
          const { language, session, csrf } = visitor
          const texts = textsIn[language].operator
          const invited = await needs.invitationOf(session.payer)
          if (!invited) return refuse('resource_is_unknown')
          const { member, terms } = invited
          return {
            title: texts.joinTitle,
            body: html`<form class="card narrow-card" method="post" action="${joinPath}">
              <h1>${texts.joinTitle}</h1>
              <p>${texts.joinAs({ role: terms.role })}</p>
              ${hiddenFields({ csrf, member })}
              <div class="actions"><button>${texts.join}</button></div>
            </form>`,
          }
        }),
    }),
    route({
      ...{ ...ofForm(false), group, path: joinPath, ownForm: joinForm },
      summary: 'Accept an invitation to work for the operator',
      errors: { 303: 'Done, or not signed in.', 404: 'No such invitation.' },
      handle: (call) =>
        inLobby(call, async (visitor) => {
          const form = call.body as FormOf<typeof joinForm>
          visits.checkForm(call, visitor, form)
          const { payer } = visitor.session
          await needs.acceptOperator(fieldOf(form, 'member'), payer, contextOfPayer(call, payer))
          return visits.go(visitor, operatorPath())
        }),
    }),
  ]
}

/** Every page of the operator. */
const pages = [
  joinRoutes,
  operatorOverviewRoutes,
  merchantListRoutes,
  merchantPageRoutes,
  merchantSwitchRoutes,
  operatorFeeRoutes,
  operatorPayoutRoutes,
  operatorJournalRoutes,
  operatorWatchRoutes,
  operatorPeopleRoutes,
]

const styles = ['operator', 'money'].map((name) => `web/operator/${name}.css`)

type OperatorRouteNeeds = NeedsOf<(typeof pages)[number]> & SessionNeeds & AssetNeeds

/** What the people of the operator see (interface 20). */
export const operatorRoutes = (needs: OperatorRouteNeeds): Route[] => {
  const visits = makeVisits(needs)
  const style = joined(needs.readAsset, styles)
  return [
    ...asPages(pages.flatMap((make) => make(needs, visits))),
    assetRoute({
      path: '/operator/style.css',
      type: 'text/css',
      group: 'Operator',
      summary: 'What pages of the operator are made of: style.css',
      body: () => style,
    }),
  ]
}
