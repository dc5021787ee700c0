import { html } from 'hono/html'
import type { Call } from '../../http/call.ts'
import type { RawReply, RawStatus } from '../../http/route.ts'
import {
  codeField,
  inputField,
  numberCodeField,
  phoneField,
  pinFields,
  type Problems,
} from '../ui/fields.ts'
import type { Html } from '../ui/page.ts'
import { recoveryCodesHtml } from './recovery-codes.ts'
import { hiddenFields, problemNote, type Visitor, type Visits } from './session.ts'
import type { SealedRegistration, SignUpNeeds, Typed } from './sign-up.ts'
import { nextOf, signInPath, signUpPath } from './way-on.ts'
import { filled } from '../ui/words.ts'

const steps = 3

/** What somebody types, and what was wrong with it. */
type WhoForm = Typed & {
  readonly problems?: Problems
  readonly status?: RawStatus
  /** The PIN, sealed, when only other fields are wrong. */
  readonly keptPin?: string | undefined
}

export const nothingTyped: Typed = { name: '', phone: '', pin: '' }

type Step = {
  readonly step: number
  readonly title: string
  readonly body: Html
  readonly after?: Html | ''
  readonly status?: RawStatus
}

const stepPage =
  (visits: Visits) =>
  (
    visitor: Visitor,
    call: Call,
    { step, title, body, after = '', status = 200 }: Step,
  ): Promise<RawReply> =>
    visits.show(visitor, {
      title: visitor.texts.signUp,
      status,
      body: html`<form class="card" method="post" action="${signUpPath(nextOf(call))}">
          <p class="quiet small">${filled(visitor.texts.step, { step, steps })}</p>
          <h1>${title}</h1>
          ${body}
        </form>
        ${after}`,
    })

const whoStep = (visitor: Visitor, call: Call, form: WhoForm): Step => {
  const { texts, csrf } = visitor
  const { name, phone, keptPin, problems = {}, status = 400 } = form
  const hasProblem = Object.keys(problems).length > 0
  return {
    ...{ step: 1, title: texts.signUp, status: hasProblem ? status : 200 },
    body: html`${hasProblem ? problemNote(problems['form'] ?? texts.wrongSeveral) : ''}
      ${hiddenFields({ csrf, ...(keptPin !== undefined && { kept_pin: keptPin }) })}
      ${inputField({
        name: 'name',
        label: texts.name,
        problem: problems['name'],
        attributes: html`autocomplete="name" maxlength="200" required value="${name}"`,
      })}
      ${phoneField(texts, 'tel', phone, problems['phone'])}
      ${pinFields(texts, keptPin !== undefined, problems['pin'])}
      <div class="actions"><button>${texts.continue}</button></div>`,
    after: html`<p>
      <a class="lone" href="${signInPath(nextOf(call))}">${texts.haveAccount}</a>
    </p>`,
  }
}

const numberStep = (
  { texts, csrf }: Visitor,
  { profile, sealed }: SealedRegistration,
  problem: string | undefined,
): Step => ({
  ...{ step: 2, title: texts.numberTitle, status: problem === undefined ? 200 : 400 },
  body: html`${hiddenFields({ csrf, registration: sealed })}
    <p>${filled(texts.numberWhat, { number: html`<b>+${profile.phone}</b>` })}</p>
    ${numberCodeField(texts, problem)}
    <div class="actions">
      <button>${texts.continue}</button>
      <button class="second" name="again" value="1" formnovalidate>${texts.newMessage}</button>
    </div>`,
})

const authenticatorStep = (
  visitor: Visitor,
  { codeSecret, sealed }: SealedRegistration,
  shown: Pick<Authenticator, 'uri' | 'image'>,
  problem: string | undefined,
): Step => {
  const { texts, csrf } = visitor
  return {
    ...{ step: 3, title: texts.authenticatorTitle, status: problem === undefined ? 200 : 400 },
    body: html`${hiddenFields({ csrf, registration: sealed })}
      ${authenticatorHtml(visitor, { codeSecret, ...shown })} ${codeField(texts, problem)}
      <div class="actions"><button>${texts.finishSignUp}</button></div>`,
  }
}

/** The pages of sign-up, in their order. */
export const signUpForms = (
  { codeUri, qrImage }: Pick<SignUpNeeds, 'codeUri' | 'qrImage'>,
  visits: Visits,
) => {
  const shown = stepPage(visits)
  type Known = SealedRegistration
  return {
    who: (visitor: Visitor, call: Call, form: WhoForm): Promise<RawReply> =>
      shown(visitor, call, whoStep(visitor, call, form)),
    number: (visitor: Visitor, call: Call, known: Known, problem?: string): Promise<RawReply> =>
      shown(visitor, call, numberStep(visitor, known, problem)),
    authenticator: async (
      visitor: Visitor,
      call: Call,
      known: Known,
      problem?: string,
    ): Promise<RawReply> => {
      const uri = codeUri(known.codeSecret, known.profile.phone)
      const image = await qrImage.dataUrl(uri)
      return shown(visitor, call, authenticatorStep(visitor, known, { uri, image }, problem))
    },
    codes: (
      visitor: Visitor,
      call: Call,
      recoveryCodes: readonly string[],
      cookies: readonly string[],
    ): Promise<RawReply> =>
      visits.show(visitor, {
        title: visitor.texts.codesTitle,
        cookies,
        body: recoveryCodesHtml(visitor, recoveryCodes, nextOf(call)),
      }),
  }
}

/** `image` is a code that shows the link `uri`. */
export type Authenticator = Readonly<Record<'uri' | 'codeSecret' | 'image', string>>

/** How to connect an authenticator app: a code to scan, a link, a key to type. */
export const authenticatorHtml = (
  { texts }: Visitor,
  { uri, codeSecret, image }: Authenticator,
): Html =>
  html`<p>${texts.authenticatorWhat}</p>
    <div class="qr computer">
      <h2>${texts.scanWithApp}</h2>
      <img src="${image}" alt="${texts.scanWithApp}" width="240" height="240" />
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
    <p>${texts.thenType}</p>`
