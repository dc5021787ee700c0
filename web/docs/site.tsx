import type { Html } from '../ui/components.tsx'
import { readText, type ReadAsset, type Names } from '../../http/assets.ts'
import type { RawReply } from '../../http/route.ts'
import type { RenderMarkdown } from './markdown.ts'
import { docsPage, hitsHtml, type Site } from './page.tsx'
import { searchIn, type Entry } from './search.ts'
import { html, raw } from 'hono/html'

/** A page of the site, and the Markdown that it is made of. */
type Guide = {
  readonly path: string
  readonly file: string
  readonly isSandbox: boolean
  /** If it is not English. */
  readonly language?: string
}

const guide = (name: string, folder = 'docs/guide/'): Guide => ({
  path: name === 'start' ? '/docs' : `/docs/${name}`,
  file: `${folder}${name}.md`,
  isSandbox: name === 'sandbox',
})

/** The side bar, from top to bottom. */
const groups = {
  'Get going': [
    ...['start', 'client', 'authentication', 'signing', 'sandbox', 'portal'].map((name) =>
      guide(name),
    ),
    { ...guide('portalen'), language: 'nb' },
  ],
  Payments: ['payments', 'transactions', 'callbacks', 'verifying', 'pusher', 'logs'].map((name) =>
    guide(name),
  ),
  Conventions: ['data', 'freshness', 'as-of', 'errors', 'idempotency', 'browsers'].map((name) =>
    guide(name),
  ),
  People: [guide('openid')],
  Reference: [guide('reference'), guide('interface', 'docs/')],
} as const satisfies Readonly<Record<string, readonly Guide[]>>

/** The groups of pages that a service has. */
const guidesOf = (isSandbox: boolean): ReadonlyMap<string, readonly Guide[]> =>
  new Map(
    Object.entries(groups).map(([group, guides]) => [
      group,
      guides.filter((one) => isSandbox || !one.isSandbox),
    ]),
  )

/** Links of the repository as links of the site; undefined when the site has no such page. */
const linkIn =
  (guides: readonly Guide[]) =>
  (href: string): string | undefined => {
    if (/^(?:https?:|[/#])/.test(href)) return href
    const [, name, anchor = ''] = /([\w-]+\.md)(#.*)?$/.exec(href) ?? []
    const found = guides.find(({ file }) => file.endsWith(`/${name}`))
    return found && found.path + anchor
  }

/** How this service differs from the one that the Markdown files describe. */
type OwnService = {
  readonly names: Names
  readonly base: string
  readonly isSandbox: boolean
  /** RSA-SHA256 in base64. */
  readonly signExample: (pem: string, text: string) => string
  readonly examplePem: string
}

/** The PEM of the key that signs the examples. */
const pemIn = (text: string): string =>
  /-----BEGIN PRIVATE KEY-----[^]*?-----END PRIVATE KEY-----/.exec(text)?.[0] ?? ''

/** A guide as this service tells it: its names, its address, and signatures made over these. */
const localized = (
  text: string,
  { names, base, isSandbox, signExample, examplePem }: OwnService,
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

/** What requests from the page are made with; the script reads it, and nothing of it is kept. */
const credentialsHtml = html`<details class="credentials" open>
  <summary>Credentials of requests that you try here</summary>
  <form id="credentials" autocomplete="off">
    <label>Merchant <input name="merchant" value="sandbox" /></label>
    <label>User <input name="user" value="pos1" /></label>
    <label>Secret <input name="secret" value="sandbox-secret" /></label>
    <label
      >Private key, for level KEY
      <textarea name="key" rows="3" placeholder="-----BEGIN PRIVATE KEY-----"></textarea>
    </label>
    <label>or its file <input type="file" name="file" accept=".pem,.key" /></label>
    <p class="quiet" id="signing" role="status">
      Merchant requests carry the secret. With a private key they are signed instead: use the user
      <code>admin</code> and <code>sandbox-admin-key.pem</code> from the directory of the data. The
      key does not leave this page.
    </p>
  </form>
</details>`

/** Where the viewer draws the reference, and what its script must know. */
const referenceHtml = (names: Names, isSandbox: boolean): Html => [
  isSandbox && credentialsHtml,
  <h2 id="operations-and-callbacks">Operations and callbacks</h2>,
  <noscript>
    <p>
      The reference needs JavaScript. The guides and <a href="/docs/interface">the interface</a> do
      not.
    </p>
  </noscript>,
  <div
    id="viewer"
    data-sandbox={String(isSandbox)}
    data-prefix={names.merchant.slice(0, -'-Merchant'.length)}
  ></div>,
]

export type SiteNeeds = {
  readonly readAsset: ReadAsset
  readonly renderMarkdown: RenderMarkdown
  readonly signExample: OwnService['signExample']
  readonly names: Names
  readonly version: string
  readonly base: string
  readonly isSandbox: boolean
  /** The operations of the reference. */
  readonly operations: readonly Entry[]
}

/** All pages of the documentation, made once. */
export const makeSite = async (needs: SiteNeeds) => {
  const { readAsset, renderMarkdown, names, isSandbox, version, operations } = needs
  const groups = guidesOf(isSandbox)
  const guides = [...groups.values()].flat()
  const linkOf = linkIn(guides)
  const examplePem = pemIn(readText(readAsset, 'docs/guide/signing.md'))
  const made = await Promise.all(
    guides.map(async ({ path, file, language }) => {
      const text = localized(readText(readAsset, file), { ...needs, examplePem })
      const { html, sections } = await renderMarkdown(text, linkOf)
      return { path, language, title: sections[0]?.title ?? path, html, sections }
    }),
  )

  const titles = new Map(made.map(({ path, title }) => [path, title]))
  const site: Site = {
    isSandbox,
    version,
    menu: [...groups].map(([group, links]) => ({
      group,
      links: links.map(({ path }) => ({ path, title: titles.get(path) ?? path })),
    })),
  }
  const pages = new Map<string, RawReply>()
  for (const { html, ...page } of made) {
    const hasViewer = page.path === '/docs/reference'
    const body = [raw(html), hasViewer && referenceHtml(names, isSandbox)]
    pages.set(page.path, await docsPage(site, { ...page, body, hasViewer }))
  }
  const sections = made.flatMap(({ path, title: page, sections }) =>
    sections.map(({ id, title, level, text }) => ({
      href: level === 1 ? path : `${path}#${id}`,
      title,
      page,
      text,
    })),
  )
  const found = searchIn([...sections, ...operations])

  return {
    page: (path: string): RawReply | undefined => pages.get(path),
    search: (query: string): Promise<RawReply> =>
      docsPage(site, {
        path: '/docs?q=',
        title: 'Search',
        query,
        body: hitsHtml(query, found(query)),
      }),
  }
}
