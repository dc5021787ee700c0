import { jsonEquals } from '../../domain/json-equality.ts'

export type Cell = string | number | Buffer | null

const parsed = (cell: Cell): unknown => {
  if (typeof cell !== 'string' || !/^[{[]/.test(cell)) return undefined
  try {
    return JSON.parse(cell)
  } catch {
    return undefined
  }
}

type Values = { readonly column: string; readonly here: Cell; readonly there: Cell }

type Members = Readonly<Record<string, unknown>>
const isGroup = (value: unknown): value is Members => typeof value === 'object' && value !== null

const cellOf = (value: unknown): Cell =>
  typeof value === 'string' || typeof value === 'number' ? value : (JSON.stringify(value) ?? null)

/** The innermost differing members of JSON. The order of members has no meaning. */
const membersThatDiffer = (column: string, one: unknown, other: unknown): readonly Values[] => {
  if (jsonEquals(one, other)) return []
  if (!isGroup(one) || !isGroup(other) || Array.isArray(one) !== Array.isArray(other))
    return [{ column, here: cellOf(one), there: cellOf(other) }]
  const names = new Set([...Object.keys(one), ...Object.keys(other)])
  return [...names].flatMap((name) =>
    membersThatDiffer(`${column}.${name}`, one[name], other[name]),
  )
}

/** The differences in a cell: the whole cell, or members of its JSON. */
export const differencesIn = (column: string, here: Cell, there: Cell): readonly Values[] => {
  if (here === there) return []
  if (here instanceof Uint8Array && there instanceof Uint8Array)
    return Buffer.compare(here, there) === 0 ? [] : [{ column, here, there }]
  const [one, other] = [parsed(here), parsed(there)]
  if (one === undefined || other === undefined) return [{ column, here, there }]
  return membersThatDiffer(column, one, other)
}
