/** Absent and undefined fields stay; groups of fields change field by field. */
export type Changes<Value> = Value extends readonly (infer Item)[]
  ? readonly Item[]
  : { readonly [Field in keyof Value]?: Changes<Value[Field]> | undefined }

type Fields = Readonly<Record<string, unknown>>

const isGroup = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const changed = <Value>(value: Value, changes: Changes<Value> | undefined): Value => {
  if (changes === undefined) return value
  if (!isGroup(value) || !isGroup(changes)) return changes as Value
  const fields = Object.entries<unknown>(changes).map(([field, change]) => [
    field,
    changed((value as Fields)[field], change as Changes<unknown>),
  ])
  return { ...value, ...Object.fromEntries(fields) }
}
