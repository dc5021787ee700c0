/** What anything but a text takes, and each member of an object and each element of a list besides what it holds. */
const flat = 8

/** About how many characters a value of JSON has: enough to tell what is large from what is not. */
export const roughSize = (value: unknown): number => {
  if (typeof value === 'string') return value.length
  let size = flat
  if (typeof value !== 'object' || value === null) return size
  if (Array.isArray(value)) for (const element of value) size += flat + roughSize(element)
  else for (const name in value) size += flat + roughSize(value[name as never])
  return size
}
