import { Actions, Hidden } from '../ui/components.tsx'
import { assetRoute, joined, type AssetNeeds } from '../../http/assets.ts'
import { asPages, redirectReply } from '../ui/page.tsx'
import { makeVisits, type SessionNeeds, type Visits } from '../payer/session.tsx'
import { type NeedsOf, type Route, route } from '../../http/route.ts'
import { operatorCorrectionRoutes } from './corrections.tsx'
import { operatorDisputeRoutes } from './disputes.tsx'
import { operatorFeeRoutes } from './fees.tsx'
import { operatorFundingRoutes } from './funding.tsx'
import { operatorInvoiceRoutes } from './invoices.tsx'
import { operatorJournalRoutes } from './journal/routes.tsx'
import { merchantPageRoutes, merchantSwitchRoutes } from './merchant.tsx'
import { merchantListRoutes } from './merchants.tsx'
import { operatorOverviewRoutes } from './overview.tsx'
import { operatorPayoutRoutes } from './payouts/routes.ts'
import { operatorPeopleRoutes } from './people.tsx'
import { operatorWatchRoutes } from './watch/routes.ts'
import type { OperatorWork } from '../../application/operators.ts'
import { refuse } from '../../domain/refusal.ts'
import { contextOfPayer } from '../../http/call.ts'
import { fieldOf, type FormOf } from '../../http/forms.ts'
import { hidden, plainForm } from '../ui/fields.tsx'
import { ofForm, ofPage } from '../payer/pages.ts'
import { operatorPath } from './areas.ts'
import { joinPath, operatorPages, type OperatorNeeds } from './pages.tsx'
import { textsIn } from '../../texts/catalogue.ts'

type JoinNeeds = OperatorNeeds & Pick<OperatorWork, 'acceptOperator'>

const group = 'Operator'

const joinForm = plainForm.extend({ member: hidden('the invitation.') })

const joinRoutes = (needs: JoinNeeds, visits: Visits): Route[] => {
  const { inLobby } = operatorPages(needs, visits)
  return [
    route({
      ...ofPage,
      group,
      path: '/operator',
      summary: 'On to the pages of the operator',
      success: 'raw otherwise',
      errors: { 303: 'On to `/operator/`.' },
      handle: () => redirectReply(operatorPath(), needs.isSecure),
    }),
    route({
      ...ofPage,
      group,
      path: joinPath,
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
            body: (
              <form class="card narrow-card" method="post" action={joinPath}>
                <h1>{texts.joinTitle}</h1>
                <p>{texts.joinAs({ role: terms.role })}</p>
                <Hidden fields={{ csrf, member }} />
                <Actions button={texts.join} />
              </form>
            ),
          }
        }),
    }),
    route({
      ...ofForm(false),
      group,
      path: joinPath,
      ownForm: joinForm,
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
  operatorFundingRoutes,
  operatorDisputeRoutes,
  operatorCorrectionRoutes,
  operatorInvoiceRoutes,
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
