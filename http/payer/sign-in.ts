import { html } from 'hono/html'
import { z } from 'zod'
import type { Context } from '../../application/handle.ts'
import type { SignIn } from '../../application/payers.ts'
import { phoneDigits } from '../../application/people.ts'
import { Refusal } from '../../domain/refusal.ts'
import type { Instant } from '../../domain/time.ts'
import { route, searchOf, type Call, type RawReply, type Route } from '../route.ts'
import { phoneField, type Throttle } from './fields.ts'
import type { Html } from './page.ts'
import {
  anyForm,
  fieldOf,
  hiddenFields,
  problemNote,
  type Form,
  type Visitor,
  type Visits,
} from './session.ts'
import type { Texts } from './texts.ts'

export type SignInNeeds = {
  readonly signIn: SignIn
  readonly throttle: Throttle
  /** Encrypts what a page gives the browser to bring back. */
  readonly seal: (text: string) => string
  readonly unseal: (sealed: string) => string | undefined
  readonly signOut: (payer: string, session: string, context: Context) => Promise<void>
}

/** The first factor was right; the second is to follow within minutes, in the same browser. */
const challenge = z.object({ payer: z.string(), browser: z.string(), until: z.int() })
const challengeLifetimeMs = 300_000

/** Only pages of this service: whatever else `next` says, nobody is sent elsewhere. */
export const ownPath = (next: string | null | undefined): string =>
  next && /^\/(payer|oauth2)\/[\x21-\x5b\x5d-\x7e]*$/.test(next) ? next : '/payer/'

export const contextOfPayer = (
  { at, requestId: correlationId }: Call,
  payer: string,
  merchant: string | null = null,
): Context => ({ at, merchant, actor: `payer:${payer}`, correlationId })

/** What went wrong with the step before; nothing at first. */
type Failure = { readonly problem?: string; readonly isLocked?: boolean }

type Step =
  | ({ readonly step: 'pin' } & Failure)
  | ({ readonly step: 'code'; readonly challenge: string } & Failure)
  | { readonly step: 'done'; readonly cookie: string }

const failureOf = (error: unknown, texts: Texts, wrong: string): Failure => {
  if (!(error instanceof Refusal)) throw error
  if (error.code === 'sign_in_is_locked') return { problem: texts.tooMany, isLocked: true }
  if (error.code === 'sign_in_is_wrong' || error.code === 'payer_is_unknown')
    return { problem: wrong }
  throw error
}

/** Signing in with a form, wherever it stands: first phone number and PIN, then a one-time code. */
export const makeSignIn = (needs: SignInNeeds, visits: Visits) => {
  const readChallenge = (sealed: string, { browser }: Visitor, at: Instant) => {
    const text = needs.unseal(sealed)
    const read = text === undefined ? undefined : challenge.safeParse(JSON.parse(text)).data
    return read?.browser === browser && at < read.until ? read : undefined
  }

  const first = async (visitor: Visitor, form: Form, call: Call): Promise<Step> => {
    const { at, request } = call
    const address = request.remoteAddress ?? ''
    try {
      needs.throttle.check(address, at)
      const typed = fieldOf(form, 'phone').slice(0, 100)
      const phone = phoneDigits(typed) ?? typed
      const context = contextOfPayer(call, 'unknown')
      const payer = await needs.signIn.checkPin(phone, fieldOf(form, 'pin').slice(0, 64), context)
      const until = at + challengeLifetimeMs
      const sealed = needs.seal(JSON.stringify({ payer, browser: visitor.browser, until }))
      return { step: 'code', challenge: sealed }
    } catch (error) {
      const failure = failureOf(error, visitor.texts, visitor.texts.wrong)
      needs.throttle.count(address, at)
      return { step: 'pin', ...failure }
    }
  }

  const second = async (visitor: Visitor, form: Form, call: Call): Promise<Step> => {
    const sealed = fieldOf(form, 'challenge')
    const known = readChallenge(sealed, visitor, call.at)
    if (!known) return { step: 'pin', problem: visitor.texts.again }
    const { payer } = known
    try {
      const code = fieldOf(form, 'code').replaceAll(' ', '')
      const { token } = await needs.signIn.checkCode(payer, code, contextOfPayer(call, payer))
      return { step: 'done', cookie: visits.cookieFor(token) }
    } catch (error) {
      const failure = failureOf(error, visitor.texts, visitor.texts.wrongCode)
      needs.throttle.count(call.request.remoteAddress ?? '', call.at)
      return { step: 'code', challenge: sealed, ...failure }
    }
  }

  /** Takes the next step with what a form brought. */
  const advance = (visitor: Visitor, form: Form, call: Call): Promise<Step> => {
    visits.checkForm(call, visitor, form)
    return form['challenge'] === undefined
      ? first(visitor, form, call)
      : second(visitor, form, call)
  }

  /** The form of a step. */
  const formOf = ({ texts, csrf }: Visitor, step: Step, action: string): Html =>
    step.step === 'code'
      ? html`<form method="post" action="${action}">
          ${problemNote(step.problem)} ${hiddenFields({ csrf, challenge: step.challenge })}
          <label for="code">${texts.code}</label>
          <input
            id="code"
            name="code"
            inputmode="numeric"
            autocomplete="one-time-code"
            pattern="[0-9 ]*"
            maxlength="7"
            required
            autofocus
            aria-describedby="code-hint"
          />
          <p id="code-hint" class="quiet small">${texts.codeHint}</p>
          <div class="actions"><button>${texts.signIn}</button></div>
        </form>`
      : html`<form method="post" action="${action}">
          ${problemNote(step.step === 'pin' ? step.problem : undefined)} ${hiddenFields({ csrf })}
          ${phoneField(texts)}
          <label for="pin">${texts.pin}</label>
          <input
            id="pin"
            name="pin"
            type="password"
            inputmode="numeric"
            autocomplete="current-password"
            maxlength="12"
            required
          />
          <div class="actions"><button>${texts.continue}</button></div>
        </form>`

  return { advance, formOf }
}

export type SignInForm = ReturnType<typeof makeSignIn>

const nextOf = (call: Call): string => ownPath(searchOf(call).get('next'))

/** Signing in and out. */
export const signInRoutes = (needs: SignInNeeds, visits: Visits): Route[] => {
  const { advance, formOf } = makeSignIn(needs, visits)

  const shown = (visitor: Visitor, call: Call, step: Step): Promise<RawReply> => {
    const { texts } = visitor
    const next = nextOf(call)
    const action = `/payer/sign-in?next=${encodeURIComponent(next)}`
    const isNew = searchOf(call).has('created')
    return visits.show(visitor, {
      title: texts.signIn,
      status: 'isLocked' in step && step.isLocked ? 429 : 200,
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
      success: 'raw',
      replyTypes: ['text/html'],
      handle: (call) =>
        visits.page(call, async (visitor) => {
          visits.checkForm(call, visitor, call.body)
          const { session } = visitor
          if (session)
            await needs.signOut(session.payer, session.digest, contextOfPayer(call, session.payer))
          return visits.go(visitor, '/payer/sign-in', [visits.noCookie])
        }),
    }),
  ]
}
