/** What any value takes, a text besides its characters, and a member of an object besides its value. */
const each = 16
/** A character takes two bytes as soon as one of its text is beyond Latin 1. */
const character = 2

/** About how many bytes of memory a value of JSON takes: enough to tell what is large from what is not. */
export const memorySize = (value: unknown): number => {
  if (typeof value === 'string') return each + character * value.length
  let size = each
  if (typeof value !== 'object' || value === null) return size
  if (Array.isArray(value)) for (const element of value) size += memorySize(element)
  else for (const name in value) size += each + memorySize(value[name as never])
  return size
}

/** From so many bytes on, what is folded from events is measured whenever it has doubled; a power of two. */
const measuredFrom = 32_768

/** The rough size of events. */
export const sizeOfEvents = (events: readonly { readonly data: unknown }[]): number =>
  events.reduce((sum, { data }) => sum + memorySize(data), 0)

/** The rough size of what is folded, after events of a size. Measured now and then: it may hold less than they did. */
export const stateSizeAfter = (before: number, ofEvents: number, folded: unknown): number => {
  const size = before + ofEvents
  if (size < measuredFrom) return size
  const passed = 2 ** Math.floor(Math.log2(size))
  if (before >= passed) return size
  const measured = memorySize(folded)
  // At least `passed` when it is nearly as large: else a few more events would have it measured again, and again.
  return measured > (3 / 4) * passed ? Math.max(measured, passed) : measured
}
