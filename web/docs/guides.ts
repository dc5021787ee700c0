import type { Names } from '../../http/brand.ts'

/** A page of the site, and the Markdown that it is made of. */
type Guide = { readonly path: string; readonly file: string; readonly isSandbox: boolean }

const guide = (name: string, folder = 'docs/guide/'): Guide => ({
  path: name === 'start' ? '/docs' : `/docs/${name}`,
  file: `${folder}${name}.md`,
  isSandbox: name === 'sandbox',
})

/** The side bar, from top to bottom. */
const groups = {
  'Get going': ['start', 'client', 'authentication', 'signing', 'sandbox', 'portal'].map((name) =>
    guide(name),
  ),
  Payments: ['payments', 'callbacks', 'verifying', 'pusher', 'logs'].map((name) => guide(name)),
  Conventions: ['data', 'freshness', 'as-of', 'errors', 'idempotency', 'browsers'].map((name) =>
    guide(name),
  ),
  People: [guide('openid')],
  Reference: [guide('reference'), guide('interface', 'docs/')],
} as const satisfies Readonly<Record<string, readonly Guide[]>>

/** The groups of pages that a service has. */
export const guidesOf = (isSandbox: boolean): ReadonlyMap<string, readonly Guide[]> =>
  new Map(
    Object.entries(groups).map(([group, guides]) => [
      group,
      guides.filter((one) => isSandbox || !one.isSandbox),
    ]),
  )

/** Links of the repository as links of the site; undefined when the site has no such page. */
export const linkIn =
  (guides: readonly Guide[]) =>
  (href: string): string | undefined => {
    if (/^(?:https?:|[/#])/.test(href)) return href
    const [, name, anchor = ''] = /([\w-]+\.md)(#.*)?$/.exec(href) ?? []
    const found = guides.find(({ file }) => file.endsWith(`/${name}`))
    return found && found.path + anchor
  }

/** How this service differs from the one that the Markdown files describe. */
export type Here = {
  readonly names: Names
  readonly base: string
  readonly isSandbox: boolean
  /** RSA-SHA256 in base64. */
  readonly signExample: (pem: string, text: string) => string
  readonly examplePem: string
}

/** The PEM of the key that signs the examples. */
export const pemIn = (text: string): string =>
  /-----BEGIN PRIVATE KEY-----[^]*?-----END PRIVATE KEY-----/.exec(text)?.[0] ?? ''

/** A guide as this service tells it: its names, its address, and signatures made over these. */
export const localized = (
  text: string,
  { names, base, isSandbox, signExample, examplePem }: Here,
): string => {
  const { origin, host } = new URL(base)
  const prefix = names.merchant.slice(0, -'-Merchant'.length)
  return text
    .replaceAll(/<!-- sandbox -->([^]*?)<!-- \/sandbox -->\n*/g, isSandbox ? '$1' : '')
    .replaceAll('application/vnd.service.api.merchant.v1+json', names.json)
    .replaceAll('application/vnd.service.api.merchant.v1+csv', names.csv)
    .replaceAll('X-SERVICE', prefix.toUpperCase())
    .replaceAll('X-Service', prefix)
    .replaceAll('x-service', prefix.toLowerCase())
    .replaceAll('https://pay.example', origin)
    .replaceAll('pay.example', host)
    .replaceAll(
      /^(Authorization: RSA-SHA256 ).+$([^]*?^```text\n)(POST\|.+)$/gm,
      (_, scheme: string, between: string, signed: string) =>
        scheme + signExample(examplePem, signed) + between + signed,
    )
}
