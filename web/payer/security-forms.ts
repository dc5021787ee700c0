import { html } from 'hono/html'
import { inputField, numberCodeField, phoneField, pinInput } from '../ui/fields.ts'
import type { Html } from '../ui/page.ts'
import { hiddenFields, problemNote, type SignedIn } from './session.ts'
import { authenticatorHtml, type Authenticator } from './sign-up-forms.ts'
import type { Texts } from '../ui/texts.ts'

export const changes = ['pin', 'authenticator', 'recovery_codes', 'number', 'close'] as const
export type ChangeName = (typeof changes)[number]

export const titleOf = (texts: Texts, change: ChangeName): string =>
  ({
    pin: texts.changePin,
    authenticator: texts.changeAuthenticator,
    recovery_codes: texts.newCodes,
    number: texts.changeNumber,
    close: texts.close,
  })[change]

/** Both factors, asked for again. */
const factorFields = (texts: Texts): Html =>
  html`${pinInput({ name: 'pin', label: texts.oldPin, autocomplete: 'current-password' })}
  ${inputField({
    name: 'code',
    label: texts.codeOrRecovery,
    hint: texts.codeOrRecoveryHint,
    attributes: html`autocomplete="one-time-code" autocapitalize="none" spellcheck="false"
    maxlength="30" required`,
  })}`

export type ChangeForm = {
  readonly change: ChangeName
  readonly problem?: string | undefined
  /** The new authenticator of the form before. */
  readonly sealed?: string
  readonly authenticator?: Authenticator & { readonly sealed: string }
  /** What was sent to the new number. */
  readonly proof?: string | undefined
}

const fieldsOf = (visitor: SignedIn, form: ChangeForm): Html => {
  const { texts } = visitor
  const { change, authenticator, proof } = form
  const factors = factorFields(texts)
  switch (change) {
    case 'pin':
      return html`${factors}
      ${pinInput({
        name: 'new_pin',
        label: texts.newPin,
        hint: texts.pinHint,
        autocomplete: 'new-password',
      })}`
    case 'authenticator':
      return html`${authenticator ? authenticatorHtml(visitor, authenticator) : ''}
      ${inputField({
        name: 'new_code',
        label: texts.newCode,
        attributes: html`inputmode="numeric" autocomplete="off" maxlength="30" required`,
      })}
      ${factors}`
    case 'recovery_codes':
      return html`<p>${texts.newCodesWhat}</p>
        ${factors}`
    case 'number':
      return proof === undefined
        ? phoneField({ ...texts, phone: texts.newNumber }, 'tel')
        : html`<p>${texts.newNumberWhat}</p>
            ${numberCodeField(texts)} ${factors}`
    case 'close':
      return html`<p>${texts.closeWhat}</p>
        ${factors}`
  }
}

export const changeFormHtml = (visitor: SignedIn, form: ChangeForm): Html => {
  const { texts, csrf } = visitor
  const { change, problem, authenticator, proof } = form
  const hidden = {
    ...{ csrf, change },
    ...(authenticator && { authenticator: authenticator.sealed }),
    ...(proof !== undefined && { proof }),
  }
  const title = titleOf(texts, change)
  return html`<form class="card" method="post" action="/payer/security">
    <h1>${title}</h1>
    ${problemNote(problem)} ${hiddenFields(hidden)} ${fieldsOf(visitor, form)}
    <div class="actions">
      <button class="${change === 'close' ? 'danger' : ''}">
        ${change === 'close' ? title : texts.continue}
      </button>
      <a class="button second" href="/payer/security">${texts.cancel}</a>
    </div>
  </form>`
}
