import { Button, Link, type Html } from '../ui/components.tsx'
import type { Visitor } from './session.tsx'

/** Recovery codes, shown once. */
export const recoveryCodesHtml = (
  { texts }: Visitor,
  codes: readonly string[],
  next: string,
): Html => (
  <div class="card">
    <h1>{texts.codesTitle}</h1>
    <p>{texts.codesWhat}</p>
    <ol class="codes" id="codes">
      {codes.map((code) => (
        <li>
          <code>{code}</code>
        </li>
      ))}
    </ol>
    <div class="actions">
      <Link class="button" href={next} text={texts.codesKept} />
      <Button
        type="button"
        class="second"
        data-copy="codes"
        data-done={texts.copied}
        aria-live="polite"
        hidden
        text={texts.copyCodes}
      />
    </div>
  </div>
)
