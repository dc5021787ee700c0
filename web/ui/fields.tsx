import { Button, type Children, type Html } from './components.tsx'
import { phoneDigits } from '../../application/people.ts'
import type { Instant } from '../../domain/time.ts'
import type { Texts } from './texts.ts'
import { z } from 'zod'

export const hidden = (description: string) =>
  z.string().meta({ description: `Hidden in the form: ${description}` })

export const typed = (description: string, ...examples: string[]) =>
  z.string().meta({ description, ...(examples.length > 0 && { examples }) })

/** A part of a query that any text may stand in. */
export const anyText = (description: string) => z.string().optional().meta({ description })

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
export type Problems = Readonly<Record<string, Html>>

export const hasProblems = (problems: Problems): boolean =>
  Object.values(problems).some((problem) => problem !== undefined)

/** What a field is called, and what is said about it. */
type Around = {
  readonly name: string
  readonly label: string
  readonly hint?: string | undefined
  readonly problem?: Html
}

type Word =
  | 'type'
  | 'value'
  | 'placeholder'
  | 'list'
  | 'autocomplete'
  | 'pattern'
  | 'min'
  | 'max'
  | 'step'
  | 'accept'

/** Attributes of an input. */
export type InputAttributes = {
  readonly inputmode?: 'numeric' | 'decimal' | undefined
  readonly autocapitalize?: 'none' | undefined
} & {
  readonly [name in Word | `data-${string}` | `aria-${string}`]?: string | undefined
} & {
  readonly [name in 'maxlength' | 'minlength' | 'rows']?: number | undefined
} & {
  readonly [name in 'required' | 'autofocus' | 'spellcheck' | 'hidden']?: boolean | undefined
}

/** Of names and codes, which no keyboard changes. */
export const exact = { autocomplete: 'off', autocapitalize: 'none', spellcheck: false } as const

/** All else are attributes of the input. */
export type FieldProps = Around & InputAttributes

const describedBy = ({ name, hint, problem }: Around): InputAttributes => {
  const ids = [problem !== undefined && 'problem', hint !== undefined && 'hint'].filter(Boolean)
  const invalid = problem === undefined ? undefined : 'true'
  return ids.length === 0
    ? {}
    : { 'aria-invalid': invalid, 'aria-describedby': ids.map((id) => `${name}-${id}`).join(' ') }
}

/** A field with its label, hint and problem. */
const Labelled = ({ name, label, hint, problem, children }: Around & Children): Html => [
  <label for={name}>{label}</label>,
  children,
  problem !== undefined && (
    <p id={`${name}-problem`} class="wrong small" role="alert">
      {problem}
    </p>
  ),
  hint !== undefined && (
    <p id={`${name}-hint`} class="quiet small">
      {hint}
    </p>
  ),
]

/** An input with label, hint and problem. */
export const Field = ({ name, label, hint, problem, ...attributes }: FieldProps): Html => {
  const around = { name, label, hint, problem }
  return (
    <Labelled {...around}>
      <input id={name} name={name} {...attributes} {...describedBy(around)} />
    </Labelled>
  )
}

/** The same for several lines, which begin with `text`. */
export const Area = ({
  name,
  label,
  hint,
  problem,
  text,
  ...attributes
}: FieldProps & { readonly text: string }): Html => {
  const around = { name, label, hint, problem }
  return (
    <Labelled {...around}>
      <textarea id={name} name={name} {...attributes} {...describedBy(around)}>
        {'\n'}
        {text}
      </textarea>
    </Labelled>
  )
}

type CheckProps = {
  readonly type: 'radio' | 'checkbox'
  readonly name: string
  readonly value: string
  readonly isChosen: boolean
  readonly isRequired?: boolean
  readonly text: string
  /** What it means. */
  readonly what: string
}

export const Check = ({ isChosen, isRequired, text, what, ...input }: CheckProps): Html => (
  <label class="check">
    <input {...input} required={isRequired} checked={isChosen} />
    <span>
      {text}
      <span class="value">{what}</span>
    </span>
  </label>
)

export type Option = readonly [value: string, name: string]

type ChoiceProps = {
  readonly name: string
  readonly label: string
  readonly value: string
  readonly of: readonly Option[]
}

/** One of several, with its label. */
export const Choice = ({ name, label, value: chosen, of }: ChoiceProps): Html => [
  <label for={name}>{label}</label>,
  <select id={name} name={name}>
    {of.map(([value, text]) => (
      <option value={value} selected={value === chosen}>
        {text}
      </option>
    ))}
  </select>,
]

/** The phone number, with a purpose for autofill (WCAG 2.1, 1.3.5). */
export const phoneField = (
  texts: Texts,
  purpose: 'username' | 'tel',
  typed = '',
  problem?: Html,
  required = true,
): Html => (
  <Field
    name="phone"
    label={texts.phone}
    hint={texts.forExample}
    problem={problem}
    type="tel"
    autocomplete={purpose}
    value={typed}
    required={required}
  />
)

/** The number of whoever is invited, or what is wrong with it. */
export const readInvited = (
  texts: Texts,
  typed: string,
  readPhone: (typed: string) => string | undefined,
): { readonly phone: string } | { readonly problem: string } => {
  const phone = readPhone(typed)
  if (phone !== undefined) return { phone }
  return { problem: phoneDigits(typed) === undefined ? texts.wrongPhone : texts.noCountryCode }
}

/** A one-time code; `more` are further attributes. */
export const codeField = (
  texts: Texts,
  problem?: Html,
  more: InputAttributes = {},
  name: 'code' | 'new_code' = 'code',
): Html => (
  <Field
    name={name}
    label={texts.code}
    hint={texts.codeHint}
    problem={problem}
    inputmode="numeric"
    autocomplete="one-time-code"
    maxlength={30}
    required
    {...more}
  />
)

/** The code of a message sent to a number. */
export const numberCodeField = (texts: Texts, problem?: Html): Html => (
  <Field
    name="number_code"
    label={texts.numberCode}
    hint={texts.numberCodeHint}
    problem={problem}
    inputmode="numeric"
    autocomplete="one-time-code"
    maxlength={30}
    required
    autofocus
  />
)

type PinProps = {
  readonly name: string
  readonly label: string
  readonly hint?: string
  readonly problem?: Html
  readonly autocomplete: 'current-password' | 'new-password'
  readonly isRequired?: boolean
}

/** One PIN, typed once. */
export const Pin = ({ isRequired = true, ...field }: PinProps): Html => (
  <Field
    {...field}
    type="password"
    inputmode="numeric"
    pattern={'[0-9]{4,12}'}
    maxlength={12}
    required={isRequired}
  />
)

/** A new PIN: a script can reveal it; without scripts it is typed twice. */
export const pinFields = (texts: Texts, isKept: boolean, problem: Html): Html => {
  const common = { autocomplete: 'new-password', isRequired: !isKept } as const
  const hint = isKept ? texts.pinKept : texts.pinHint
  return [
    <Pin {...common} name="pin" label={texts.pin} hint={hint} problem={problem} />,
    <Button
      type="button"
      class="second slim"
      data-reveal="pin"
      data-other={texts.hidePin}
      aria-controls="pin"
      hidden
      text={texts.showPin}
    />,
    <noscript>
      <Pin {...common} name="pin_again" label={texts.pinAgain} />
    </noscript>,
  ]
}
