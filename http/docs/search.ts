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

/** The entries that have every word of a query, those with the words in their title first. */
export const found = (entries: readonly Entry[], query: string): Hit[] => {
  const words = wordsOf(query)
  const [first] = words
  if (first === undefined) return []
  const scored = entries.flatMap((entry) => {
    const title = entry.title.toLowerCase()
    const all = `${title} ${entry.page} ${entry.text}`.toLowerCase()
    if (!words.every((word) => all.includes(word))) return []
    const score = words.filter((word) => title.includes(word)).length
    return [{ score, hit: { ...entry, excerpt: excerptOf(entry.text, first) } }]
  })
  return scored
    .sort((one, other) => other.score - one.score)
    .slice(0, mostHits)
    .map(({ hit }) => hit)
}
