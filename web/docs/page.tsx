import { Link, type Html, List } from '../ui/components.tsx'
import { html } from 'hono/html'
import type { RawReply } from '../../http/route.ts'
import type { Section } from './markdown.ts'
import type { Hit } from './search.ts'
import { contentSecurityPolicy, documentText } from '../ui/page.tsx'

type Link = { readonly path: string; readonly title: string }

/** What all pages of the site share. */
export type Site = {
  readonly isSandbox: boolean
  readonly version: string
  readonly menu: readonly { readonly group: string; readonly links: readonly Link[] }[]
}

type Page = {
  readonly path: string
  readonly title: string
  readonly body: Html
  /** Of the body, if it is not English. */
  readonly language?: string | undefined
  readonly sections?: readonly Section[]
  readonly query?: string
  /** Whether the page has the viewer of the reference. */
  readonly hasViewer?: boolean
}

const menuHtml = ({ menu }: Site, path: string): Html =>
  menu.map(({ group, links }) => [
    <h2>{group}</h2>,
    <List
      items={links.map(({ path: href, title }) => (
        <Link href={href} aria-current={href === path ? 'page' : undefined} text={title} />
      ))}
    />,
  ])

const onThisPage = (sections: readonly Section[]): Html => {
  const listed = sections.filter(({ level }) => level === 2)
  if (listed.length < 2) return null
  return (
    <nav class="toc" aria-label="On this page">
      <h2>On this page</h2>
      <List
        items={listed.map(({ id, title }) => (
          <a href={`#${id}`}>{title}</a>
        ))}
      />
    </nav>
  )
}

const neighbours = ({ menu }: Site, path: string): Html => {
  const links = menu.flatMap((group) => group.links)
  const index = links.findIndex((link) => link.path === path)
  if (index === -1) return null
  const [before, after] = [links[index - 1], links[index + 1]]
  return (
    <nav class="neighbours" aria-label="Pages before and after">
      {before ? (
        <a href={before.path} rel="prev">
          ← {before.title}
        </a>
      ) : null}
      {after ? (
        <a href={after.path} rel="next">
          {after.title} →
        </a>
      ) : null}
    </nav>
  )
}

const searchForm = (query: string): Html => (
  <form class="search" role="search" action="/docs">
    <input
      type="search"
      name="q"
      value={query}
      maxlength={100}
      placeholder="Search"
      aria-label="Search the documentation"
      autocomplete="off"
    />
    <button>Search</button>
  </form>
)

export const hitsHtml = (query: string, hits: readonly Hit[]): Html => [
  <h1>Search</h1>,
  <p class="quiet" role="status">
    {query === '' ? 'Type what you are looking for.' : `${hits.length} found for “${query}”.`}
  </p>,
  <ol class="hits">
    {hits.map(({ href, title, page, excerpt }) => (
      <li>
        <a href={href}>{title}</a> <span class="quiet">{page}</span>
        <p>{excerpt}</p>
      </li>
    ))}
  </ol>,
]

const viewerHead = html`<link rel="stylesheet" href="/docs-assets/viewer.css" />
  <link rel="stylesheet" href="/docs-assets/reference.css" />
  <script src="/docs-assets/viewer.js" defer></script>
  <script src="/docs-assets/reference.js" type="module"></script>`

/** A page of the documentation, which reads well without scripts. */
export const docsPage = async (site: Site, page: Page): Promise<RawReply> => {
  const { path, title, body, language, sections = [], query = '', hasViewer = false } = page
  const head = [
    hasViewer && viewerHead,
    <link rel="stylesheet" href="/docs-assets/docs.css" />,
    <script src="/docs-assets/docs.js" type="module"></script>,
  ]
  const whole = (
    <body class={hasViewer ? 'viewer' : 'guide'}>
      <Link class="skip" href="#content" text="Skip to content" />
      <header>
        <a class="brand" href="/docs">
          daybook <span class="quiet">docs</span>
        </a>{' '}
        {site.isSandbox && <span class="badge">Sandbox</span>}
        {searchForm(query)}
        <input type="checkbox" id="menu" aria-label="Show the menu" />
        <label class="menu" for="menu" aria-hidden="true">
          Menu
        </label>
        <nav class="side" aria-label="Documentation">
          {menuHtml(site, path)}
          <p class="quiet">Version {site.version}</p>
        </nav>
      </header>
      <div class="columns">
        <main id="content" lang={language}>
          {body}
          {neighbours(site, path)}
        </main>
        {onThisPage(sections)}
      </div>
    </body>
  )
  const text = await documentText({
    language: 'en',
    title: `${title} · daybook documentation`,
    head,
    body: whole,
  })
  return {
    type: 'text/html; charset=utf-8',
    body: new TextEncoder().encode(text),
    headers: {
      'Content-Security-Policy': contentSecurityPolicy(),
      'X-Content-Type-Options': 'nosniff',
    },
  }
}
