import type { Service } from '../support/http-service.ts'

const entities = {
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
  '&#x27;': "'",
  '&amp;': '&',
}

/** The visible text of HTML. */
export const seen = (html: string): string =>
  Object.entries(entities).reduce(
    (text, [entity, character]) => text.replaceAll(entity, character),
    html.replaceAll(/<[^>]*>/g, ''),
  )

/** The code examples of a page, with their languages. */
export const examplesIn = (html: string) =>
  [...html.matchAll(/<pre[^>]*><code class="language-(\w*)">([^]*?)<\/code>/g)].map(
    ([, language = '', code = '']) => ({ language, code: seen(code) }),
  )

/** All pages linked in the side bar, by path. */
export const pagesOf = async ({ call }: Service): Promise<Map<string, string>> => {
  const pages = new Map<string, string>()
  const { text } = await call('GET', '/docs')
  const [, side = ''] = /<nav class="side"[^]*?>([^]*?)<\/nav>/.exec(text) ?? []
  for (const [, path = ''] of side.matchAll(/<a href="([^"]*)"/g))
    pages.set(path, (await call('GET', path)).text)
  return pages
}
