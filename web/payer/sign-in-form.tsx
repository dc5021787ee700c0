import { Actions, Form, Hidden, MoreLink, Wrong, type Html } from '../ui/components.tsx'
import { z } from 'zod'
import { Refusal } from '../../domain/refusal.ts'
import { secondsAfter, type Instant } from '../../domain/time.ts'
import { contextOfPayer, type Call } from '../../http/call.ts'
import { compactFieldOf, fieldOf, type FormOf } from '../../http/forms.ts'
import { beginSession, type BeginSessionNeeds } from './begin-session.ts'
import { codeField, phoneField, type Throttle, Field, exact } from '../ui/fields.tsx'
import type { signInForm } from './page-documentation.ts'
import type { Page } from '../ui/page.tsx'
import { clockTime } from '../ui/money.tsx'
import { sealing, type Sealing } from './sealing.ts'
import { type Visitor, type Visits } from './session.tsx'
import type { Texts } from '../ui/texts.ts'
import { filled } from '../ui/words.tsx'

export type SignInFormNeeds = BeginSessionNeeds & Sealing & { readonly throttle: Throttle }

type Form = FormOf<typeof signInForm>

/** The first factor was right; the second must follow soon in the same browser. */
const challenge = z.object({ payer: z.string(), browser: z.string(), until: z.int() })

const challengeLifetimeMs = 300_000

/** What went wrong in the previous step. */
type Failure = {
  readonly problem?: Html
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
    : filled(texts.tooManyUntil, { time: clockTime(secondsAfter(at, retryAfter), at, locale) })

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
): Html => (
  <details>
    <summary>{texts.useRecoveryCode}</summary>
    <Form action={action} hidden={hidden}>
      <Field name="recovery_code" label={texts.recoveryCode} maxlength={30} required {...exact} />
      <Actions kind="second" button={texts.signIn} />
    </Form>
  </details>
)

/** Sign-in form: phone number and PIN, then a one-time code. */
export const makeSignIn = (needs: SignInFormNeeds, visits: Visits) => {
  const begin = beginSession(needs, visits)

  const challenges = sealing(needs, challenge)

  const first = async (visitor: Visitor, form: Form, call: Call): Promise<Step> => {
    const { at, request } = call
    const address = request.remoteAddress ?? ''
    const typed = fieldOf(form, 'phone').slice(0, 100)
    const read = visits.phoneOf(typed)
    const phone = read ?? typed
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
      return { step: 'pin', phone: read === undefined ? typed : `+${read}`, ...failure }
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
      ? [
          <Form action={action} hidden={{ csrf, challenge: step.challenge }}>
            {codeField(texts, step.problem, { autofocus: true })}
            <Actions button={texts.signIn} />
          </Form>,
          recoveryCodeForm(texts, { csrf, challenge: step.challenge }, action),
        ]
      : [
          <form method="post" action={action}>
            <Wrong text={step.problem} />
            <Hidden fields={{ csrf }} />
            {phoneField(texts, 'username', step.phone)}
            <label for="pin">{texts.pin}</label>
            <input
              id="pin"
              name="pin"
              type="password"
              inputmode="numeric"
              autocomplete="current-password"
              maxlength={12}
              required
              autofocus={Boolean(step.phone)}
            />
            <Actions button={texts.continue} />
          </form>,
          <MoreLink href="/payer/recovery" text={texts.cannotSignIn} />,
        ]

  return { advance, formOf }
}

export type SignInForm = ReturnType<typeof makeSignIn>
