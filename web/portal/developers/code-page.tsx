import type { Html } from '../../ui/components.tsx'
import type { Call } from '../../../http/call.ts'
import { fieldOf, type Fields } from '../../../http/forms.ts'
import { codeField } from '../../ui/fields.tsx'
import { codeProblem } from '../../staff/guard.tsx'
import type { PortalPage, PortalVisitor } from '../page.tsx'
import type { PortalPages } from '../pages.ts'
import { formPage } from '../parts.tsx'
import { textsOf } from './parts.tsx'
import type { Links } from '../../../http/addresses.ts'
import type { Names } from '../../../http/assets.ts'

export type DocsLink = { readonly href: string; readonly text: string }

/** A page of the documentation, whose examples name the merchant and its user. */
export const docsPath = ({ shop }: PortalVisitor, page: string, user?: string): string => {
  const ids = new URLSearchParams({
    merchant: shop.merchant,
    ...(user !== undefined && { user }),
  })
  return `/docs${page === '' ? '' : `/${page}`}?${ids}`
}

export const docsLinks = (visitor: PortalVisitor, user: string): readonly DocsLink[] => {
  const texts = textsOf(visitor)
  return [
    { href: docsPath(visitor, '', user), text: texts.docsStart },
    { href: docsPath(visitor, 'signing', user), text: texts.docsSigning },
    { href: docsPath(visitor, 'client', user), text: texts.docsClient },
    { href: docsPath(visitor, 'callbacks', user), text: texts.docsCallbacks },
    { href: '/docs/reference', text: texts.docsReference },
  ]
}

export const docsLink = ({ href, text }: DocsLink): Html => <a href={href}>{text}</a>

export type SnippetNeeds = { readonly names: Names; readonly links: Links }

export const emptyDigest = 'SHA256=47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='

export type Who = { readonly merchant: string; readonly user: string }

export const urlOf = ({ links }: SnippetNeeds): string => links.full('/merchant/v1/pos/')

/** A first request with a secret, to be run as it is. */
export const secretSnippet = (needs: SnippetNeeds, { merchant, user }: Who, secret: string) =>
  `curl ${urlOf(needs)} \\
  -H '${needs.names.merchant}: ${merchant}' \\
  -H '${needs.names.user}: ${user}' \\
  -H 'Authorization: SECRET ${secret}'
`

/** A first request that is signed with the key in a file, to be run as it is. */
export const keySnippet = (needs: SnippetNeeds, { merchant, user }: Who): string => {
  const { names } = needs
  const upper = (name: string): string => name.toUpperCase()
  return `url=${urlOf(needs)}
time="$(date -u '+%Y-%m-%d %H:%M:%S')"
digest=${emptyDigest}
key="$(ls -t ${keyFiles({ merchant, user })} | head -n 1)"
text="GET|$url|${upper(names.contentDigest)}=$digest"
text="$text&${upper(names.merchant)}=${merchant}"
text="$text&${upper(names.timestamp)}=$time&${upper(names.user)}=${user}"
signature="$(printf '%s' "$text" |
  openssl dgst -sha256 -sign "$key" | openssl base64 -A)"
curl "$url" \\
  -H '${names.merchant}: ${merchant}' \\
  -H '${names.user}: ${user}' \\
  -H "${names.timestamp}: $time" \\
  -H "${names.contentDigest}: $digest" \\
  -H "Authorization: RSA-SHA256 $signature"
`
}

/** What a private key is saved as; the browser fills in the user and the time. */
export const keyFile = (merchant: string): string => `${merchant}-{user}-{time}.pem`

/** The files of a user's keys, for a shell. */
export const keyFiles = ({ merchant, user }: Who): string => `'${merchant}-${user}-20'*.pem`

type CodeCall = Call<unknown, undefined, Fields<'code'>>

/** Undefined when the form has the right code; else the page that asks for it. */
export type AskCode = (
  visitor: PortalVisitor,
  call: CodeCall,
  place: {
    /** Of the form. */
    readonly path: string
    /** Fields that do not count, so that they are not kept. */
    readonly without?: readonly string[]
  },
) => Promise<PortalPage | undefined>

/** Between a form and what it does, a page with the same fields asks for a one-time code. */
export const askCode =
  (confirm: PortalPages['confirm']): AskCode =>
  async (visitor, call, { path, without = [] }) => {
    const problem = await codeProblem(confirm, visitor, call)
    if (problem === undefined) return undefined
    const texts = textsOf(visitor)
    const isWrong = fieldOf(call.body, 'code') !== ''
    const isKept = ([name]: readonly [string, unknown]) =>
      !['csrf', 'code', ...without].includes(name)
    const fields: readonly (readonly [string, unknown])[] = Object.entries(call.body)
    const kept = fields.filter(isKept).map(([name, value]) => [name, String(value)])
    return formPage(visitor, {
      title: texts.codeTitle,
      button: visitor.texts.continue,
      action: path,
      back: path,
      isWrong,
      hidden: Object.fromEntries(kept) as Record<string, string>,
      fields: [
        <p>{texts.codeWhat}</p>,
        codeField(visitor.texts, isWrong ? problem : undefined, { autofocus: true }),
      ],
    })
  }
