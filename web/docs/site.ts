import { readText, type ReadAsset } from '../../http/assets.ts'
import type { Names } from '../../http/brand.ts'
import type { RawReply } from '../../http/route.ts'
import { guidesOf, linkIn, localized, pemIn, type Here } from './guides.ts'
import type { RenderMarkdown } from './markdown.ts'
import { docsPage, hitsHtml, rendered, type Site } from './page.ts'
import { referenceHtml } from './reference.ts'
import { searchIn, type Entry } from './search.ts'

export type SiteNeeds = {
  readonly readAsset: ReadAsset
  readonly renderMarkdown: RenderMarkdown
  readonly signExample: Here['signExample']
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
    guides.map(async ({ path, file }) => {
      const text = localized(readText(readAsset, file), { ...needs, examplePem })
      const { html, sections } = await renderMarkdown(text, linkOf)
      return { path, title: sections[0]?.title ?? path, html, sections }
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
  for (const { path, title, html, sections } of made) {
    const hasViewer = path === '/docs/reference'
    const body = rendered(html + (hasViewer ? String(referenceHtml(names, isSandbox)) : ''))
    pages.set(path, await docsPage(site, { path, title, body, sections, hasViewer }))
  }
  const sections = made.flatMap(({ path, title: page, sections }) =>
    sections.map(({ id, title, level, text }) => ({
      ...{ href: level === 1 ? path : `${path}#${id}`, title, page, text },
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
