import { sandboxPayers } from '../../service/sandbox/sandbox-data.ts'
import { codeAt } from '../../infrastructure/people/one-time-codes.ts'
import { attribute, decoded } from '../../harness/html.ts'
import { codeOf, codeSentTo, type PeopleService } from '../support/people-service.ts'

export type Shown = {
  readonly status: number
  readonly url: string
  readonly location: string | null
  readonly headers: Headers
  readonly html: string
}

/** The form of a page that contains a field: its target and prefilled values. */
export const formIn = (html: string, field: string) => {
  for (const [text, tag = ''] of html.matchAll(/(<form[^>]*>)[\s\S]*?<\/form>/g)) {
    if (!text.includes(`name="${field}"`)) continue
    const fields = [...text.matchAll(/<input[^>]*>/g)]
      .map(([input]) => input)
      .filter((input) => !/type="checkbox"/.test(input) || /\schecked/.test(input))
      .filter((input) => !/\sdisabled/.test(input))
      .map((input) => [attribute(input, 'name') ?? '', attribute(input, 'value') ?? ''] as const)
      .filter(([name]) => name !== '')
    return { action: attribute(tag, 'action') ?? '', fields }
  }
  throw new Error(`no form with ${field} in ${html}`)
}

export type Newcomer = { readonly phone: string; readonly name?: string; readonly pin?: string }

/** The key of a new authenticator on its page. */
export const keyIn = ({ html }: Pick<Shown, 'html'>): string =>
  /<code id="key">(\w+)</.exec(html)?.[1] ?? ''

/** Target of a page's main link. */
export const wayOnIn = ({ html }: Pick<Shown, 'html'>): string =>
  decoded(/<a class="button" href="([^"]*)"/.exec(html)?.[1] ?? '')

/**
 * A browser without scripts: it keeps cookies, follows no redirects by itself, and fills in forms.
 */
export const makeVisitor = (
  service: Pick<PeopleService, 'address'>,
  language = 'en',
  onAnswer: (method: string, shown: Shown) => void = () => {},
) => {
  const cookies = new Map<string, string>()

  const visit = async (path: string, init: RequestInit = {}): Promise<Shown> => {
    const url = new URL(path, service.address)
    const response = await fetch(url, {
      ...init,
      redirect: 'manual',
      headers: {
        Accept: 'text/html',
        'Accept-Language': language,
        Cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; '),
        ...init.headers,
      },
    })
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? []
      if (value === '') cookies.delete(name)
      else cookies.set(name, value)
    }
    const location = response.headers.get('location')
    const { status, headers } = response
    const shown = { status, headers, url: url.href, location, html: await response.text() }
    onAnswer(init.method ?? 'GET', shown)
    return shown
  }

  /** Fills in and sends the form of a page that has these fields. */
  const submit = (
    page: Pick<Shown, 'html'>,
    values: Readonly<Record<string, string | readonly string[]>>,
    without: readonly string[] = [],
  ): Promise<Shown> => {
    const form = formIn(page.html, Object.keys(values)[0] ?? '')
    const kept = form.fields.filter(([name]) => !(name in values) && !without.includes(name))
    const given = Object.entries(values).flatMap(([name, value]) =>
      [value].flat().map((one): [string, string] => [name, one]),
    )
    const body = new URLSearchParams([
      ...kept.map(([name, value]): [string, string] => [name, value]),
      ...given,
    ])
    return visit(form.action, { method: 'POST', body })
  }

  const signInAt = async (page: Shown, payer: keyof typeof sandboxPayers): Promise<Shown> => {
    const { phone, pin } = sandboxPayers[payer]
    const second = await submit(page, { phone: `+${phone}`, pin })
    return submit(second, { code: codeOf(payer) })
  }

  /** Fills in the first two pages of sign-up; returns the authenticator's page. */
  const proveNumberAt = async (page: Shown, who: Newcomer): Promise<Shown> => {
    const { phone, name = 'Ny Kunde', pin = '8642' } = who
    const number = await submit(page, { phone, name, pin })
    return submit(number, { number_code: await codeSentTo(service, phone) })
  }

  /** Fills in all pages of sign-up; returns the page of the recovery codes. */
  const signUpAt = async (page: Shown, who: Newcomer): Promise<Shown> => {
    const authenticator = await proveNumberAt(page, who)
    return submit(authenticator, { code: codeAt(keyIn(authenticator), Date.now()) })
  }

  /** Withdraws a client's consent, with confirmation. */
  const withdraw = async (client: string): Promise<Shown> =>
    submit(await visit(`/payer/permissions?withdraw=${client}`), { grant: client })

  return {
    cookies,
    withdraw,
    visit,
    submit,
    signInAt,
    proveNumberAt,
    signUpAt,
    signIn: async (payer: keyof typeof sandboxPayers = 'alice') =>
      signInAt(await visit('/payer/sign-in'), payer),
    /** Follows redirects within the service. */
    follow: async (page: Shown): Promise<Shown> => {
      let shown = page
      while (shown.location !== null) {
        const next = new URL(shown.location, shown.url)
        if (next.origin !== service.address) return shown
        shown = await visit(next.href)
      }
      return shown
    },
  }
}

export type TestVisitor = ReturnType<typeof makeVisitor>
