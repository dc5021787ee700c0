/** Something that can be found: a section of a guide, or an operation. */
export type Entry = {
  readonly href: string
  readonly title: string
  /** The page that it stands on. */
  readonly page: string
  readonly text: string
}

export type Hit = Entry & { readonly excerpt: string }

const mostHits = 20
const excerptLength = 160

const wordsOf = (query: string): string[] => query.toLowerCase().split(/\s+/).filter(Boolean)

const excerptOf = (text: string, word: string): string => {
  const found = text.toLowerCase().indexOf(word)
  const start = Math.max(0, text.lastIndexOf(' ', found - 40) + 1)
  const end = start + excerptLength
  const cut = text.slice(start, end)
  return (start > 0 ? '… ' : '') + cut + (end < text.length ? ' …' : '')
}

/**
 * Finds the entries that have every word of a query, those with the words in their title first.
 * What is compared is made once, because anybody may search.
 */
export const searchIn = (entries: readonly Entry[]) => {
  const searched = entries.map((entry) => {
    const title = entry.title.toLowerCase()
    return { entry, title, all: `${title} ${entry.page} ${entry.text}`.toLowerCase() }
  })
  return (query: string): Hit[] => {
    const words = wordsOf(query)
    const [first] = words
    if (first === undefined) return []
    return searched
      .filter(({ all }) => words.every((word) => all.includes(word)))
      .map(({ entry, title }) => ({
        entry,
        score: words.filter((word) => title.includes(word)).length,
      }))
      .sort((one, other) => other.score - one.score)
      .slice(0, mostHits)
      .map(({ entry }) => ({ ...entry, excerpt: excerptOf(entry.text, first) }))
  }
}
