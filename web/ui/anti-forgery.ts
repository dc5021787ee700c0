import { randomBytes } from '../../application/machine.ts'
import type { Call } from '../../http/call.ts'
import { RequestError } from '../../http/errors.ts'
import { fieldOf, type Fields } from '../../http/forms.ts'
import type { Texts } from './texts.ts'

export type AntiForgeryNeeds = {
  /** A keyed text that only this installation can make. */
  readonly derive: (...parts: readonly (string | number)[]) => string
  /** Compares in constant time. */
  readonly isSameText: (a: string, b: string) => boolean
}

/** The form was made for another session: do nothing and show its page again. */
export class OutdatedForm extends Error {
  override readonly name = 'OutdatedForm'
}

const siteOf = ({ request }: Call): string | undefined => request.header('sec-fetch-site')

/** Whether a form comes from another site. */
export const isForeign = (call: Call): boolean =>
  ![undefined, 'same-origin', 'none'].includes(siteOf(call))

/** For whom a form must have been made. */
type FormMaker = {
  readonly browser: string
  readonly session: { readonly payer: string } | undefined
  readonly texts: Texts
}

/** Characters of a random text, so that no page has the token of another one. */
const randomPart = 22

/** And of the browser's part of the token; the rest is the payer's. */
const browserPart = 22

const partOf = (token: string) => token.slice(0, randomPart + browserPart)

const tokenBy =
  ({ derive }: Pick<AntiForgeryNeeds, 'derive'>) =>
  (random: string, browser: string, payer = ''): string =>
    random +
    derive('csrf', random, browser).slice(0, browserPart) +
    derive('csrf', random, browser, payer)

/** Forms work for whom they were made only, and on our own pages. */
export const antiForgery = ({ derive, isSameText }: AntiForgeryNeeds) => ({
  /** Whether a form was made for this browser, and if asked for this payer. */
  isOwnForm: (
    { browser, session }: Omit<FormMaker, 'texts'>,
    token: string,
    whose: 'payer' | 'browser' = 'payer',
  ): boolean => {
    const csrf = tokenBy({ derive })(token.slice(0, randomPart), browser, session?.payer)
    return whose === 'payer' ? isSameText(token, csrf) : isSameText(partOf(token), partOf(csrf))
  },

  /** Bound to the payer, not the session, so other tabs survive a new sign-in. */
  tokenFor: (browser: string, payer?: string): string =>
    tokenBy({ derive })(randomBytes(16).toString('base64url'), browser, payer),

  /**
   * The form must belong to the signed-in payer, or just to the browser. @throws RequestError 403
   * when it is not from our page in this browser @throws OutdatedForm when it belongs to another
   * payer
   */
  checkForm: (
    call: Call,
    { browser, session, texts }: FormMaker,
    form: Fields<'csrf'>,
    whose: 'payer' | 'browser' = 'payer',
  ): void => {
    if (isForeign(call)) throw new RequestError(403, texts.problem403)
    const token = fieldOf(form, 'csrf')
    const csrf = tokenBy({ derive })(token.slice(0, randomPart), browser, session?.payer)
    if (!isSameText(partOf(token), partOf(csrf))) {
      // Pages opened at once each set a cookie; the browser keeps the last.
      if (siteOf(call) === 'same-origin') throw new OutdatedForm()
      throw new RequestError(403, texts.problem403)
    }
    if (whose === 'payer' && !isSameText(token, csrf)) throw new OutdatedForm()
  },
})
