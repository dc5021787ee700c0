import { html } from 'hono/html'
import { z } from 'zod'
import { phoneDigits } from '../../application/people.ts'
import { Refusal } from '../../domain/refusal.ts'
import { secondsAfter, type Instant } from '../../domain/time.ts'
import { contextOfPayer, type Call } from '../../http/call.ts'
import { compactFieldOf, fieldOf, type FormOf } from '../../http/forms.ts'
import { beginSession, type BeginSessionNeeds } from './begin-session.ts'
import { codeField, inputField, phoneField, type Throttle } from '../ui/fields.ts'
import type { signInForm } from './page-documentation.ts'
import type { Html, Page } from '../ui/page.ts'
import { shownClock } from '../ui/money.ts'
import { sealing, type Sealing } from './sealing.ts'
import { hiddenFields, problemNote, type Visitor, type Visits } from './session.ts'
import type { Texts } from '../ui/texts.ts'
import { filled } from '../ui/words.ts'

export type SignInFormNeeds = BeginSessionNeeds & Sealing & { readonly throttle: Throttle }

type Form = FormOf<typeof signInForm>

/** The first factor was right; the second must follow soon in the same browser. */
const challenge = z.object({ payer: z.string(), browser: z.string(), until: z.int() })

const challengeLifetimeMs = 300_000

/** What went wrong in the previous step. */
type Failure = {
  readonly problem?: Html | string
  /** Unusual status of the page. */
  readonly answer?: Pick<Page, 'status' | 'retryAfter'>
}

export type StepAhead =
  | ({ readonly step: 'pin'; readonly phone?: string } & Failure)
  | ({ readonly step: 'code'; readonly challenge: string } & Failure)

type Step = StepAhead | { readonly step: 'done'; readonly cookies: readonly string[] }

const tooManyText = ({ texts, locale }: Visitor, { retryAfter }: Refusal, at: Instant) =>
  retryAfter === null
    ? texts.problem429
    : filled(texts.tooManyUntil, { time: shownClock(secondsAfter(at, retryAfter), at, locale) })

const failureOf = (error: unknown, visitor: Visitor, at: Instant, wrong: string): Failure => {
  if (!(error instanceof Refusal)) throw error
  if (error.code === 'sign_in_is_locked')
    return {
      problem: tooManyText(visitor, error, at),
      answer: { status: 429, retryAfter: error.retryAfter },
    }
  if (error.code === 'sign_in_is_wrong' || error.code === 'payer_is_unknown')
    return { problem: wrong }
  throw error
}

/** For whoever has no authenticator at hand. */
const recoveryCodeForm = (
  texts: Texts,
  hidden: Readonly<Record<string, string>>,
  action: string,
): Html =>
  html`<details>
    <summary>${texts.useRecoveryCode}</summary>
    <form method="post" action="${action}">
      ${hiddenFields(hidden)}
      ${inputField({
        name: 'recovery_code',
        label: texts.recoveryCode,
        attributes: html`autocomplete="off" autocapitalize="none" spellcheck="false" maxlength="30"
        required`,
      })}
      <div class="actions"><button class="second">${texts.signIn}</button></div>
    </form>
  </details>`

/** Sign-in form: phone number and PIN, then a one-time code. */
export const makeSignIn = (needs: SignInFormNeeds, visits: Visits) => {
  const begin = beginSession(needs, visits)

  const challenges = sealing(needs, challenge)

  const first = async (visitor: Visitor, form: Form, call: Call): Promise<Step> => {
    const { at, request } = call
    const address = request.remoteAddress ?? ''
    const typed = fieldOf(form, 'phone').slice(0, 100)
    const phone = phoneDigits(typed) ?? typed
    const { known } = visitor
    // Others at the same address cannot keep out a device that has signed in before.
    const isKnown = await needs.signIn.isKnownDevice(phone, known)
    try {
      if (!isKnown) needs.throttle.check(address, at)
      const context = contextOfPayer(call, 'unknown')
      const pin = fieldOf(form, 'pin').slice(0, 64)
      const payer = await needs.signIn.checkPin(phone, pin, context, known)
      const until = at + challengeLifetimeMs
      const { browser } = visitor
      return { step: 'code', challenge: challenges.seal({ payer, browser, until }) }
    } catch (error) {
      const failure = failureOf(error, visitor, at, visitor.texts.wrong)
      if (!isKnown) needs.throttle.count(address, at)
      return { step: 'pin', phone: typed, ...failure }
    }
  }

  const second = async (visitor: Visitor, form: Form, call: Call): Promise<Step> => {
    const sealed = fieldOf(form, 'challenge')
    const known = challenges.read(sealed, call.at)
    if (known?.browser !== visitor.browser) return { step: 'pin', problem: visitor.texts.again }
    const { payer } = known
    try {
      const code = compactFieldOf(form, 'code') || compactFieldOf(form, 'recovery_code')
      return { step: 'done', cookies: await begin(visitor, payer, code, call) }
    } catch (error) {
      const failure = failureOf(error, visitor, call.at, visitor.texts.wrongCode)
      needs.throttle.count(call.request.remoteAddress ?? '', call.at)
      return { step: 'code', challenge: sealed, ...failure }
    }
  }

  /** Submits a form and returns the next step. */
  const advance = (visitor: Visitor, form: Form, call: Call): Promise<Step> => {
    visits.checkForm(call, visitor, form, 'browser')
    return form['challenge'] === undefined
      ? first(visitor, form, call)
      : second(visitor, form, call)
  }

  const formOf = ({ texts, csrf }: Visitor, step: StepAhead, action: string): Html =>
    step.step === 'code'
      ? html`<form method="post" action="${action}">
            ${hiddenFields({ csrf, challenge: step.challenge })}
            ${codeField(texts, step.problem, html`autofocus`)}
            <div class="actions"><button>${texts.signIn}</button></div>
          </form>
          ${recoveryCodeForm(texts, { csrf, challenge: step.challenge }, action)}`
      : html`<form method="post" action="${action}">
            ${problemNote(step.problem)} ${hiddenFields({ csrf })}
            ${phoneField(texts, 'username', step.phone)}
            <label for="pin">${texts.pin}</label>
            <input
              id="pin"
              name="pin"
              type="password"
              inputmode="numeric"
              autocomplete="current-password"
              maxlength="12"
              required
              ${step.phone ? html`autofocus` : ''}
            />
            <div class="actions"><button>${texts.continue}</button></div>
          </form>
          <p><a class="lone" href="/payer/recovery">${texts.cannotSignIn}</a></p>`

  return { advance, formOf }
}

export type SignInForm = ReturnType<typeof makeSignIn>
