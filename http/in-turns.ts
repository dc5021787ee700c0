import type { z } from 'zod'
import { nextTurn } from '../application/next-turn.ts'
import { check, type Checked, type Problem } from './checking.ts'
import { mostIssues } from './errors.ts'
import { innermost, isRecord, mostItemsOf } from './fitting.ts'

/** Items of a list that are checked in one turn. */
const itemsATurn = 50

type LongList = {
  readonly path: readonly string[]
  readonly element: z.ZodType
  readonly items: readonly unknown[]
}

/** Lists that are worth more than one turn; one that is too long is refused without its items. */
const longListsIn = (
  schema: z.core.$ZodType,
  value: unknown,
  path: readonly string[] = [],
): readonly LongList[] => {
  const inner = innermost(schema)
  const { def } = (inner as z.core.$ZodTypes)._zod
  if (def.type === 'array' && Array.isArray(value)) {
    if (value.length <= itemsATurn || value.length > mostItemsOf(inner)) return []
    return [{ path, element: def.element as z.ZodType, items: value }]
  }
  if (def.type !== 'object' || !isRecord(value)) return []
  return Object.entries(def.shape).flatMap(([name, each]) =>
    longListsIn(each, value[name], [...path, name]),
  )
}

const problemsIn = async (
  { path, element, items }: LongList,
  turn: () => Promise<void>,
): Promise<readonly Problem[]> => {
  const problems: Problem[] = []
  for (const [index, item] of items.entries()) {
    if (index % itemsATurn === 0) await turn()
    const checked = check(element, item)
    if ('value' in checked) continue
    for (const { path: within, ...problem } of checked.problems)
      problems.push({ ...problem, path: [...path, index, ...within] })
    if (problems.length >= mostIssues) break
  }
  return problems
}

const without = (value: unknown, [name, ...rest]: readonly string[]): unknown => {
  if (name === undefined) return []
  return isRecord(value) ? { ...value, [name]: without(value[name], rest) } : value
}

/**
 * Checks a value as `check` does, its long lists item by item over several turns. With faults in a
 * list, it stops at the first fifty.
 */
export const checkInTurns = async <Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  turn = nextTurn,
): Promise<Checked<z.output<Schema>>> => {
  const lists = longListsIn(schema, value)
  if (lists.length === 0) return check(schema, value)
  const problems: Problem[] = []
  let rest = value
  for (const list of lists) {
    const found = await problemsIn(list, turn)
    if (found.length === 0) continue
    problems.push(...found)
    rest = without(rest, list.path)
  }
  await turn()
  const whole = check(schema, rest)
  if (problems.length === 0) return whole
  const all = 'value' in whole ? problems : [...whole.problems, ...problems]
  const unlisted = all.length < mostIssues ? 0 : 'some'
  return { problems: all.slice(0, mostIssues), unlisted }
}
