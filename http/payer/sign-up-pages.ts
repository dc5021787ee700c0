import { html } from 'hono/html'
import { pinPattern } from '../../domain/people/payer.ts'
import type { Call } from '../call.ts'
import { RequestError } from '../errors.ts'
import { anyForm, fieldOf, type FormOf } from '../forms.ts'
import { route, type RawReply, type Route } from '../route.ts'
import { beginSession, type BeginSessionNeeds } from './begin-session.ts'
import { codeField, phoneField, typedPhone } from './fields.ts'
import { pageAsks, type signUpForm } from './page-asks.ts'
import { hiddenFields, problemNote, type Visitor, type Visits } from './session.ts'
import { makeSignUp, type Registration, type SignUpNeeds, type Typed } from './sign-up.ts'
import type { Texts } from './texts.ts'
import { nextOf, signUpPath } from './way-on.ts'

const whatIsWrong = (texts: Texts, { phone, name, pin }: Typed): string => {
  if (name === '') return texts.wrongName
  if (typedPhone(phone) === undefined) return texts.wrongPhone
  return pinPattern.test(pin) ? texts.wrongInput : texts.wrongNewPin
}

/** The pages of signing up. Whoever has made an account is signed in, and goes on where they came from. */
export const signUpRoutes = (needs: SignUpNeeds & BeginSessionNeeds, visits: Visits): Route[] => {
  const signUp = makeSignUp(needs)
  const begin = beginSession(needs, visits)
  const actionOf = (call: Call) => signUpPath(nextOf(call))

  const whoForm = (
    visitor: Visitor,
    call: Call,
    { name, phone }: Pick<Typed, 'name' | 'phone'>,
    problem?: string,
  ): Promise<RawReply> => {
    const { texts, csrf } = visitor
    return visits.show(visitor, {
      title: texts.signUp,
      status: problem === undefined ? 200 : 400,
      body: html`<form class="card" method="post" action="${actionOf(call)}">
        <h1>${texts.signUp}</h1>
        ${problemNote(problem)} ${hiddenFields({ csrf })}
        <label for="name">${texts.name}</label>
        <input id="name" name="name" autocomplete="name" maxlength="200" required value="${name}" />
        ${phoneField(texts, 'tel', phone)}
        <label for="pin">${texts.pin}</label>
        <input
          id="pin"
          name="pin"
          type="password"
          inputmode="numeric"
          autocomplete="new-password"
          pattern="[0-9]{4,12}"
          required
          aria-describedby="pin-hint"
        />
        <p id="pin-hint" class="quiet small">${texts.pinHint}</p>
        <div class="actions"><button>${texts.continue}</button></div>
      </form>`,
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
        <h1>${texts.signUp}</h1>
        ${problemNote(problem)} ${hiddenFields({ csrf, registration: sealed })}
        <p>${texts.keep}</p>
        <p class="qr">
          <img src="${await needs.qrImage.dataUrl(uri)}" alt="" width="240" height="240" />
        </p>
        <p>
          <a href="${uri}"><code>${codeSecret}</code></a>
        </p>
        ${codeField(texts)}
        <div class="actions"><button>${texts.signUp}</button></div>
      </form>`,
    })
  }

  const advance = async (
    visitor: Visitor,
    call: Call<unknown, unknown, FormOf<typeof signUpForm>>,
  ) => {
    const form = call.body
    const { texts } = visitor
    visits.checkForm(call, visitor, form)
    const sealed = fieldOf(form, 'registration')
    if (sealed === '') {
      const [phone, name] = [fieldOf(form, 'phone'), fieldOf(form, 'name')]
      const typed = { phone, name, pin: fieldOf(form, 'pin') }
      const begun = await signUp.begin({ ...typed, phone: typedPhone(phone) ?? phone }, call)
      return begun
        ? codeForm(visitor, call, begun, begun.sealed)
        : whoForm(visitor, call, typed, whatIsWrong(texts, typed))
    }
    const known = signUp.read(sealed, call.at)
    if (!known) throw new RequestError(400, texts.again)
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
        visits.page(call, (visitor) => whoForm(visitor, call, { name: '', phone: '' })),
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
