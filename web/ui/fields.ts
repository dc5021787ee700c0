import { html } from 'hono/html'
import { internationalDigits, phoneDigits } from '../../application/people.ts'
import type { Instant } from '../../domain/time.ts'
import type { Html } from './page.ts'
import type { Texts } from './texts.ts'
import { z } from 'zod'

export const hidden = (description: string) =>
  z.string().meta({ description: `Hidden in the form: ${description}` })

export const typed = (description: string, ...examples: string[]) =>
  z.string().meta({ description, ...(examples.length > 0 && { examples }) })

/** A part of a query that any text may stand in. */
export const asked = (description: string) => z.string().optional().meta({ description })

/** In every form. */
export const plainForm = z.object({ csrf: hidden('no other site can send it.') })

export const phone = typed('The phone number.', '+4799999901')

export const foreign = 'The form is too old, or came from elsewhere.'

export const tooMany = 'Too many failed attempts: Retry-After says for how many seconds.'

/** Limits repeated failures per address; an IPv6 network counts as one. */
export type Throttle = {
  check(address: string, at: Instant): void
  count(address: string, at: Instant): void
}

/** Problems of a form's fields, by name. */
export type Problems = Readonly<Record<string, Html | string | undefined>>

export const hasProblems = (problems: Problems): boolean =>
  Object.values(problems).some((problem) => problem !== undefined)

export type Field = {
  readonly name: string
  readonly label: string
  readonly hint?: string | undefined
  readonly problem?: Html | string | undefined
  /** Further attributes of the input. */
  readonly attributes: Html
}

const describedBy = ({ name, hint, problem }: Omit<Field, 'attributes' | 'label'>): Html | '' => {
  const ids = [
    ...(problem === undefined ? [] : ['problem']),
    ...(hint === undefined ? [] : ['hint']),
  ]
  const invalid = problem === undefined ? '' : html`aria-invalid="true"`
  return ids.length === 0
    ? ''
    : html`${invalid} aria-describedby="${ids.map((id) => `${name}-${id}`).join(' ')}"`
}

const notesOf = ({ name, hint, problem }: Omit<Field, 'attributes' | 'label'>): Html =>
  html`${
    problem === undefined
      ? ''
      : html`<p id="${name}-problem" class="wrong small" role="alert">${problem}</p>`
  }
  ${hint === undefined ? '' : html`<p id="${name}-hint" class="quiet small">${hint}</p>`}`

/** An input with label, hint and problem. */
export const inputField = (field: Field): Html =>
  html`<label for="${field.name}">${field.label}</label>
    <input id="${field.name}" name="${field.name}" ${field.attributes} ${describedBy(field)} />
    ${notesOf(field)}`

/** The same for several lines, which begin with `text`. */
export const areaField = (field: Field, text: string): Html =>
  html`<label for="${field.name}">${field.label}</label>
    <textarea id="${field.name}" name="${field.name}" ${field.attributes} ${describedBy(field)}>
${text}</textarea>
    ${notesOf(field)}`

/** The phone number, with a purpose for autofill (WCAG 2.1, 1.3.5). */
export const phoneField = (
  texts: Texts,
  purpose: 'username' | 'tel',
  typed = '',
  problem?: Html | string,
): Html =>
  inputField({
    name: 'phone',
    label: texts.phone,
    hint: texts.forExample,
    problem,
    attributes: html`type="tel" autocomplete="${purpose}" value="${typed}" required`,
  })

/** The number of whoever is invited, or what is wrong with it. */
export const readInvited = (
  texts: Texts,
  typed: string,
): { readonly phone: string } | { readonly problem: string } => {
  const phone = internationalDigits(typed)
  if (phone !== undefined) return { phone }
  return { problem: phoneDigits(typed) === undefined ? texts.wrongPhone : texts.noCountryCode }
}

/** A one-time code; `more` are further attributes. */
export const codeField = (
  texts: Texts,
  problem?: Html | string,
  more: Html | '' = '',
  name: 'code' | 'new_code' = 'code',
): Html =>
  inputField({
    name,
    label: texts.code,
    hint: texts.codeHint,
    problem,
    attributes: html`inputmode="numeric" autocomplete="one-time-code" maxlength="30" required
    ${more}`,
  })

/** The code of a message sent to a number. */
export const numberCodeField = (texts: Texts, problem?: Html | string): Html =>
  inputField({
    name: 'number_code',
    label: texts.numberCode,
    hint: texts.numberCodeHint,
    problem,
    attributes: html`inputmode="numeric" autocomplete="one-time-code" maxlength="30" required
    autofocus`,
  })

type PinInput = {
  readonly name: string
  readonly label: string
  readonly hint?: string
  readonly problem?: Html | string | undefined
  readonly autocomplete: 'current-password' | 'new-password'
  readonly isRequired?: boolean
}

/** One PIN, typed once. */
export const pinInput = ({ isRequired = true, autocomplete, ...field }: PinInput): Html =>
  inputField({
    ...field,
    attributes: html`type="password" inputmode="numeric" autocomplete="${autocomplete}"
    pattern="[0-9]{4,12}" maxlength="12" ${isRequired ? html`required` : ''}`,
  })

/** A new PIN: a script can reveal it; without scripts it is typed twice. */
export const pinFields = (
  texts: Texts,
  isKept: boolean,
  problem: Html | string | undefined,
): Html => {
  const common = { autocomplete: 'new-password', isRequired: !isKept } as const
  const hint = isKept ? texts.pinKept : texts.pinHint
  return html`${pinInput({ ...common, name: 'pin', label: texts.pin, hint, problem })}
    <button
      type="button"
      class="second slim"
      data-reveal="pin"
      data-other="${texts.hidePin}"
      aria-controls="pin"
      hidden
    >
      ${texts.showPin}
    </button>
    <noscript>${pinInput({ ...common, name: 'pin_again', label: texts.pinAgain })}</noscript>`
}
