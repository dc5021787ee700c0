/** What any value takes, a text besides its characters, and a member of an object besides its value. */
const each = 16
/** A character takes two bytes as soon as one of its text is beyond Latin 1. */
const character = 2

/** About how many bytes of memory a value of JSON takes: enough to tell what is large from what is not. */
export const roughSize = (value: unknown): number => {
  if (typeof value === 'string') return each + character * value.length
  let size = each
  if (typeof value !== 'object' || value === null) return size
  if (Array.isArray(value)) for (const element of value) size += roughSize(element)
  else for (const name in value) size += each + roughSize(value[name as never])
  return size
}

/** After so many bytes of events it is measured anew what is folded from them. */
const measuredEach = 32_768

/** The rough size of events. */
export const sizeOfEvents = (events: readonly { readonly data: unknown }[]): number =>
  events.reduce((sum, { data }) => sum + roughSize(data), 0)

/** The rough size of what is folded, after events of a size: of a long history most is not in it any more. */
export const sizeAfter = (before: number, ofEvents: number, folded: unknown): number => {
  const size = before + ofEvents
  const isDue = Math.floor(size / measuredEach) > Math.floor(before / measuredEach)
  return isDue ? roughSize(folded) : size
}
