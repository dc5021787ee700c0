/** Bytes for each value, string or member. */
const perValue = 16
/** Two bytes, as in strings beyond Latin-1. */
const perCharacter = 2

type Members = Readonly<Record<string, unknown>>

/** Estimates the memory of a JSON value in bytes. */
export const memorySize = (value: unknown): number => {
  if (typeof value === 'string') return perValue + perCharacter * value.length
  let size = perValue
  if (typeof value !== 'object' || value === null) return size
  if (Array.isArray(value)) for (const element of value) size += memorySize(element)
  else for (const name in value) size += perValue + memorySize((value as Members)[name])
  return size
}

/** From this size on, a state is measured again whenever it has doubled. */
const measureFrom = 32_768

export const sizeOfEvents = (events: readonly { readonly data: unknown }[]): number =>
  events.reduce((sum, { data }) => sum + memorySize(data), 0)

/**
 * Estimates the size of a state after more events. It is measured only occasionally, because a
 * state may be smaller than its events.
 */
export const stateSizeAfter = (before: number, ofEvents: number, state: unknown): number => {
  const size = before + ofEvents
  if (size < measureFrom) return size
  const passed = 2 ** Math.floor(Math.log2(size))
  if (before >= passed) return size
  const measured = memorySize(state)
  // Not below `passed` when close to it, or each further event would measure again.
  return measured > (3 / 4) * passed ? Math.max(measured, passed) : measured
}
