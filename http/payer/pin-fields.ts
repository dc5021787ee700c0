import { html } from 'hono/html'
import { inputField } from './fields.ts'
import type { Html } from './page.ts'
import type { Texts } from './texts.ts'

const attributes = (isKept: boolean): Html =>
  html`type="password" inputmode="numeric" autocomplete="new-password" pattern="[0-9]{4,12}"
  maxlength="12" ${isKept ? '' : html`required`}`

/** A new PIN: a script can reveal it; without scripts it is typed twice. */
export const pinFields = (
  texts: Texts,
  isKept: boolean,
  problem: Html | string | undefined,
): Html =>
  html`${inputField({
      name: 'pin',
      label: texts.pin,
      hint: isKept ? texts.pinKept : texts.pinHint,
      problem,
      attributes: attributes(isKept),
    })}
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
    <noscript>
      ${inputField({ name: 'pin_again', label: texts.pinAgain, attributes: attributes(isKept) })}
    </noscript>`

type PinInput = {
  readonly name: string
  readonly label: string
  readonly hint?: string
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
