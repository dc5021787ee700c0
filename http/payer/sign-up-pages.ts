import { html } from 'hono/html'
import { z } from 'zod'
import { phoneDigits } from '../../application/people.ts'
import { pinPattern } from '../../domain/people/payer.ts'
import { Refusal } from '../../domain/refusal.ts'
import type { Call } from '../call.ts'
import { anyForm, fieldOf, type FormOf } from '../forms.ts'
import { route, type RawReply, type RawStatus, type Route } from '../route.ts'
import { beginSession, type BeginSessionNeeds } from './begin-session.ts'
import { codeField, inputField, phoneField, type Problems } from './fields.ts'
import { pageAsks, type signUpForm } from './page-asks.ts'
import { pinFields } from './pin-fields.ts'
import { hiddenFields, problemNote, type Visitor, type Visits } from './session.ts'
import { makeSignUp, type Registration, type SignUpNeeds, type Typed } from './sign-up.ts'
import type { Texts } from './texts.ts'
import { nextOf, signInPath, signUpPath } from './way-on.ts'
import { filled } from './words.ts'

type Form = FormOf<typeof signUpForm>
/** Without scripts the PIN is typed twice. */
type TypedTwice = Typed & { readonly pinAgain: string }

/** Keeps a typed PIN when another field is wrong. */
const keptPin = z.object({ pin: z.string(), browser: z.string(), until: z.int() })
const keptPinLifetimeMs = 900_000

const problemsOf = (texts: Texts, { phone, name, pin, pinAgain }: TypedTwice): Problems => ({
  ...(name === '' && { name: texts.wrongName }),
  ...(phoneDigits(phone) === undefined && { phone: texts.wrongPhone }),
  ...(!pinPattern.test(pin) && { pin: texts.wrongNewPin }),
  ...(pinAgain !== '' && pinAgain !== pin && { pin: texts.wrongPinAgain }),
})

/** Sign-up pages. A new payer is signed in and returns to the page before. */
export const signUpRoutes = (needs: SignUpNeeds & BeginSessionNeeds, visits: Visits): Route[] => {
  const signUp = makeSignUp(needs)
  const begin = beginSession(needs, visits)
  const actionOf = (call: Call) => signUpPath(nextOf(call))

  const readKeptPin = (sealed: string, { browser }: Visitor, { at }: Call): string => {
    const text = sealed === '' ? undefined : needs.unseal(sealed)
    const read = text === undefined ? undefined : keptPin.safeParse(JSON.parse(text)).data
    return read?.browser === browser && at < read.until ? read.pin : ''
  }

  const whoForm = (
    visitor: Visitor,
    call: Call,
    { name, phone, pin }: Typed,
    problems: Problems = {},
    status: RawStatus = 400,
  ): Promise<RawReply> => {
    const { texts, csrf, browser } = visitor
    const hasProblem = Object.keys(problems).length > 0
    const isKept = problems['pin'] === undefined && pin !== ''
    const kept = { pin, browser, until: call.at + keptPinLifetimeMs }
    return visits.show(visitor, {
      title: texts.signUp,
      status: hasProblem ? status : 200,
      body: html`<form class="card" method="post" action="${actionOf(call)}">
          <p class="quiet small">${filled(texts.step, 1, 2)}</p>
          <h1>${texts.signUp}</h1>
          ${hasProblem ? problemNote(problems['form'] ?? texts.wrongSeveral) : ''}
          ${hiddenFields({ csrf, ...(isKept && { kept_pin: needs.seal(JSON.stringify(kept)) }) })}
          ${inputField({
            name: 'name',
            label: texts.name,
            problem: problems['name'],
            attributes: html`autocomplete="name" maxlength="200" required value="${name}"`,
          })}
          ${phoneField(texts, 'tel', phone, problems['phone'])}
          ${pinFields(texts, isKept, problems['pin'])}
          <div class="actions"><button>${texts.continue}</button></div>
        </form>
        <p><a class="lone" href="${signInPath(nextOf(call))}">${texts.haveAccount}</a></p>`,
    })
  }

  const codeForm = async (
    visitor: Visitor,
    call: Call,
    { codeSecret, profile }: Registration,
    sealed: string,
    problem?: string,
  ): Promise<RawReply> => {
    const { texts, csrf } = visitor
    const uri = needs.codeUri(codeSecret, profile.phone)
    return visits.show(visitor, {
      title: texts.signUp,
      status: problem === undefined ? 200 : 400,
      body: html`<form class="card" method="post" action="${actionOf(call)}">
        <p class="quiet small">${filled(texts.step, 2, 2)}</p>
        <h1>${texts.authenticatorTitle}</h1>
        ${hiddenFields({ csrf, registration: sealed })}
        <p>${texts.authenticatorWhat}</p>
        <div class="qr computer">
          <h2>${texts.scanWithApp}</h2>
          <img
            src="${await needs.qrImage.dataUrl(uri)}"
            alt="${texts.scanWithApp}"
            width="240"
            height="240"
          />
        </div>
        <div class="actions narrow">
          <a class="button" href="${uri}">${texts.openAuthenticator}</a>
        </div>
        <p class="quiet small">${texts.orTypeKey}</p>
        <p class="copied">
          <code id="key">${codeSecret}</code>
          <button
            type="button"
            class="second slim"
            data-copy="key"
            data-done="${texts.copied}"
            aria-live="polite"
            hidden
          >
            ${texts.copyKey}
          </button>
        </p>
        <p>${texts.thenType}</p>
        ${codeField(texts, problem)}
        <div class="actions"><button>${texts.finishSignUp}</button></div>
      </form>`,
    })
  }

  const start = async (visitor: Visitor, call: Call<unknown, unknown, Form>) => {
    const form = call.body
    const { texts } = visitor
    const [phone, name] = [fieldOf(form, 'phone'), fieldOf(form, 'name')]
    const pin = fieldOf(form, 'pin') || readKeptPin(fieldOf(form, 'kept_pin'), visitor, call)
    const typed = { phone, name, pin }
    try {
      const problems = problemsOf(texts, { ...typed, pinAgain: fieldOf(form, 'pin_again') })
      const isWrong = Object.keys(problems).length > 0
      const begun = isWrong ? undefined : await signUp.begin(typed, call)
      return begun
        ? await codeForm(visitor, call, begun, begun.sealed)
        : await whoForm(visitor, call, typed, isWrong ? problems : { form: texts.wrongInput })
    } catch (error) {
      if (!(error instanceof Refusal) || error.code !== 'payer_exists') throw error
      return whoForm(visitor, call, typed, { phone: texts.refused_payer_exists }, 409)
    }
  }

  const advance = async (visitor: Visitor, call: Call<unknown, unknown, Form>) => {
    const form = call.body
    const { texts } = visitor
    visits.checkForm(call, visitor, form, 'browser')
    const sealed = fieldOf(form, 'registration')
    if (sealed === '') return start(visitor, call)
    const known = signUp.read(sealed, call.at)
    if (!known)
      return whoForm(visitor, call, { name: '', phone: '', pin: '' }, { form: texts.signUpTooLate })
    const code = fieldOf(form, 'code').replaceAll(' ', '')
    const payer = await signUp.finish(known, code, call)
    if (payer === undefined) return codeForm(visitor, call, known, sealed, texts.wrongCode)
    return visits.go(visitor, nextOf(call), [await begin(visitor, payer, code, call)])
  }

  return [
    route({
      method: 'GET',
      path: '/payer/sign-up',
      access: 'OPEN',
      group: 'Pages',
      summary: 'Make an account',
      success: 'raw',
      replyTypes: ['text/html'],
      handle: (call) =>
        visits.page(call, (visitor) => whoForm(visitor, call, { name: '', phone: '', pin: '' })),
    }),
    route({
      method: 'POST',
      path: '/payer/sign-up',
      access: 'OPEN',
      group: 'Pages',
      summary:
        'Make an account: name, phone number and PIN first, then the code of the new authenticator',
      body: anyForm,
      takesForm: true,
      ...pageAsks.signUp,
      success: 'raw',
      replyTypes: ['text/html'],
      handle: (call) => visits.page(call, (visitor) => advance(visitor, call)),
    }),
  ]
}
