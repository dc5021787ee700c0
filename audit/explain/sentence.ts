import { sources } from '../../texts/generated/texts.ts'

/** Words of ours that texts begin with, apart from identifiers that stand first. */
const firstWords = new Set(
  Object.values(sources).flatMap(({ story }) =>
    Object.values(story).flatMap((text) => /^\p{Ll}+(?= |$)/u.exec(text) ?? []),
  ),
)

export const withCapital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

/** With a capital, unless it begins with an identifier or a value: commands print it without. */
export const asSentence = (says: string): string => {
  const [first = ''] = /^\p{Ll}+(?=[ ,;:]|$)/u.exec(says) ?? []
  return firstWords.has(first) ? withCapital(says) : says
}
