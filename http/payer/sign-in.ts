import { html } from 'hono/html'
import { contextOfPayer, searchOf, type Call } from '../call.ts'
import { anyForm } from '../forms.ts'
import { route, type RawReply, type Route } from '../route.ts'
import { pageAsks } from './page-asks.ts'
import type { Visitor, Visits } from './session.ts'
import { makeSignIn, type SignInFormNeeds, type StepAhead } from './sign-in-form.ts'
import { nextOf, signInPath, signUpPath } from './way-on.ts'

export const signInRoutes = (needs: SignInFormNeeds, visits: Visits): Route[] => {
  const { advance, formOf } = makeSignIn(needs, visits)

  const shown = (visitor: Visitor, call: Call, step: StepAhead): Promise<RawReply> => {
    const { texts } = visitor
    const next = nextOf(call)
    const search = searchOf(call)
    const done = search.has('recovered')
      ? texts.recoverDone
      : search.has('closed')
        ? texts.closed
        : undefined
    return visits.show(visitor, {
      title: texts.signIn,
      ...step.answer,
      body: html`<div class="card">
          <h1>${texts.signInWith}</h1>
          ${done === undefined ? '' : html`<p class="state good" role="status">${done}</p>`}
          ${formOf(visitor, step, signInPath(next))}
        </div>
        ${
          step.step === 'pin' ? html`<p><a href="${signUpPath(next)}">${texts.newHere}</a></p>` : ''
        }`,
    })
  }

  return [
    route({
      method: 'GET',
      path: '/payer/sign-in',
      access: 'OPEN',
      group: 'Pages',
      summary: 'Sign in',
      ...pageAsks.showSignIn,
      success: 'raw',
      replyTypes: ['text/html'],
      handle: (call) =>
        visits.page(call, async (visitor) =>
          visitor.session && !searchOf(call).has('again')
            ? visits.go(visitor, nextOf(call))
            : shown(visitor, call, { step: 'pin' }),
        ),
    }),
    route({
      method: 'POST',
      path: '/payer/sign-in',
      access: 'OPEN',
      group: 'Pages',
      summary: 'Sign in: phone number and PIN first, then the one-time code',
      body: anyForm,
      takesForm: true,
      ...pageAsks.signIn,
      success: 'raw',
      replyTypes: ['text/html'],
      handle: (call) =>
        visits.page(call, async (visitor) => {
          const step = await advance(visitor, call.body, call)
          return step.step === 'done'
            ? visits.go(visitor, nextOf(call), step.cookies)
            : shown(visitor, call, step)
        }),
    }),
    route({
      method: 'POST',
      path: '/payer/sign-out',
      access: 'OPEN',
      group: 'Pages',
      summary: 'Sign out',
      body: anyForm,
      takesForm: true,
      ...pageAsks.signOut,
      success: 'raw otherwise',
      replyTypes: ['text/html'],
      handle: (call) =>
        visits.page(
          call,
          async (visitor) => {
            const { session } = visitor
            // Already signed out in another tab.
            if (!session) return visits.go(visitor, '/payer/sign-in')
            visits.checkForm(call, visitor, call.body, 'browser')
            await needs.signOut(session.payer, session.digest, contextOfPayer(call, session.payer))
            return visits.go(visitor, '/payer/sign-in', [visits.noCookie])
          },
          '/payer/',
        ),
    }),
  ]
}
