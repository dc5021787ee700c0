import { html } from 'hono/html'
import type { Html } from '../ui/page.ts'
import type { Visitor } from './session.ts'

/** Recovery codes, shown once. */
export const recoveryCodesHtml = (
  { texts }: Visitor,
  codes: readonly string[],
  next: string,
): Html =>
  html`<div class="card">
    <h1>${texts.codesTitle}</h1>
    <p>${texts.codesWhat}</p>
    <ol class="codes" id="codes">
      ${codes.map((code) => html`<li><code>${code}</code></li>`)}
    </ol>
    <div class="actions">
      <a class="button" href="${next}">${texts.codesKept}</a>
      <button
        type="button"
        class="second"
        data-copy="codes"
        data-done="${texts.copied}"
        aria-live="polite"
        hidden
      >
        ${texts.copyCodes}
      </button>
    </div>
  </div>`
