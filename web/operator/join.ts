import { html } from 'hono/html'
import type { OperatorWork } from '../../application/operators.ts'
import { refuse } from '../../domain/refusal.ts'
import { contextOfPayer } from '../../http/call.ts'
import { fieldOf, type FormOf } from '../../http/forms.ts'
import { hidden, plainForm } from '../ui/form-parts.ts'
import { redirectReply } from '../ui/page.ts'
import { ofForm, ofPage } from '../payer/pages.ts'
import { hiddenFields, type Visits } from '../payer/session.ts'
import { filled } from '../ui/words.ts'
import { route, type Route } from '../../http/route.ts'
import { operatorPath } from './areas.ts'
import { joinPath, operatorPages, type OperatorNeeds } from './pages.ts'
import { operatorTexts } from './texts.ts'

type JoinNeeds = OperatorNeeds & Pick<OperatorWork, 'acceptOperator'>

const group = 'Operator'
const joinForm = plainForm.extend({ member: hidden('the invitation.') })

export const joinRoutes = (needs: JoinNeeds, visits: Visits): Route[] => {
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
          const texts = operatorTexts[language]
          const invited = await needs.invitationOf(session.payer)
          if (!invited) return refuse('resource_is_unknown')
          const { member, terms } = invited
          const role = texts[`role_${terms.role}`].toLowerCase()
          return {
            title: texts.joinTitle,
            body: html`<form class="card narrow-card" method="post" action="${joinPath}">
              <h1>${texts.joinTitle}</h1>
              <p>${filled(texts.joinAs, role)}</p>
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
