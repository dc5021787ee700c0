import { Done } from '../ui/components.tsx'
import { contextOfPayer, searchOf, type Call } from '../../http/call.ts'
import { anyForm } from '../../http/forms.ts'
import type { RawReply, Route } from '../../http/route.ts'
import { pageAsks } from './page-documentation.ts'
import { openPages } from './pages.ts'
import type { Visitor, Visits } from './session.tsx'
import { makeSignIn, type SignInFormNeeds, type StepAhead } from './sign-in-form.tsx'
import { nextOf, signInPath, signUpPath } from './way-on.ts'
import { doneIn } from '../ui/words.tsx'

export const signInRoutes = (needs: SignInFormNeeds, visits: Visits): Route[] => {
  const { advance, formOf } = makeSignIn(needs, visits)

  const showStep = (visitor: Visitor, call: Call, step: StepAhead): Promise<RawReply> => {
    const { texts } = visitor
    const next = nextOf(call)
    const { recoverDone: recovered, closed } = texts
    const done = doneIn(searchOf(call), { recovered, closed })
    return visits.show(visitor, {
      title: texts.signIn,
      ...step.answer,
      body: [
        <div class="card">
          <h1>{texts.signInWith}</h1>
          {done !== undefined && <Done text={done} />}
          {formOf(visitor, step, signInPath(next))}
        </div>,
        step.step === 'pin' && (
          <p>
            <a href={signUpPath(next)}>{texts.newHere}</a>
          </p>
        ),
      ],
    })
  }

  return [
    openPages.get('/payer/sign-in', {
      summary: 'Sign in',
      ...pageAsks.showSignIn,
      handle: (call) =>
        visits.page(call, async (visitor) =>
          visitor.session && !searchOf(call).has('again')
            ? visits.go(visitor, nextOf(call))
            : showStep(visitor, call, { step: 'pin' }),
        ),
    }),
    openPages.post('/payer/sign-in', {
      summary: 'Sign in: phone number and PIN first, then the one-time code',
      body: anyForm,
      takesForm: true,
      ...pageAsks.signIn,
      handle: (call) =>
        visits.page(call, async (visitor) => {
          const step = await advance(visitor, call.body, call)
          return step.step === 'done'
            ? visits.go(visitor, nextOf(call), step.cookies)
            : showStep(visitor, call, step)
        }),
    }),
    openPages.post('/payer/sign-out', {
      summary: 'Sign out',
      body: anyForm,
      takesForm: true,
      ...pageAsks.signOut,
      success: 'raw otherwise',
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
