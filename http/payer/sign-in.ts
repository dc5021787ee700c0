import { html } from 'hono/html'
import type { Context } from '../../application/handle.ts'
import { contextOfPayer, searchOf, type Call } from '../call.ts'
import { anyForm } from '../forms.ts'
import { route, type RawReply, type Route } from '../route.ts'
import { pageAsks } from './page-asks.ts'
import type { Visitor, Visits } from './session.ts'
import { makeSignIn, type SignInFormNeeds, type StepAhead } from './sign-in-form.ts'

export type SignInNeeds = SignInFormNeeds & {
  readonly signOut: (payer: string, session: string, context: Context) => Promise<void>
}

/** Only pages of this service: whatever else `next` says, nobody is sent elsewhere. */
export const ownPath = (next: string | null | undefined): string =>
  next && /^\/(payer|oauth2)\/[\x21-\x5b\x5d-\x7e]*$/.test(next) ? next : '/payer/'

const nextOf = (call: Call): string => ownPath(searchOf(call).get('next'))

/** Signing in and out. */
export const signInRoutes = (needs: SignInNeeds, visits: Visits): Route[] => {
  const { advance, formOf } = makeSignIn(needs, visits)

  const shown = (visitor: Visitor, call: Call, step: StepAhead): Promise<RawReply> => {
    const { texts } = visitor
    const next = nextOf(call)
    const action = `/payer/sign-in?next=${encodeURIComponent(next)}`
    const isNew = searchOf(call).has('created')
    return visits.show(visitor, {
      title: texts.signIn,
      ...step.answer,
      body: html`<div class="card">
          <h1>${texts.signIn}</h1>
          ${isNew && step.step === 'pin' ? html`<p class="note">${texts.created}</p>` : ''}
          ${formOf(visitor, step, action)}
        </div>
        ${
          step.step === 'pin'
            ? html`<p>
                <a href="/payer/sign-up?next=${encodeURIComponent(next)}">${texts.newHere}</a>
              </p>`
            : ''
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
            ? visits.go(visitor, nextOf(call), [step.cookie])
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
        visits.page(call, async (visitor) => {
          const { session } = visitor
          // Whoever has signed out in another tab is out.
          if (!session) return visits.go(visitor, '/payer/sign-in')
          visits.checkForm(call, visitor, call.body)
          await needs.signOut(session.payer, session.digest, contextOfPayer(call, session.payer))
          return visits.go(visitor, '/payer/sign-in', [visits.noCookie])
        }),
    }),
  ]
}
