import { threadShare } from '../application/thread-share.ts'
import { RequestError, mostIssues } from './errors.ts'
import type { z } from 'zod'
import { nextTurn } from '../application/time-budget.ts'
import {
  check,
  type Checked,
  type Problem,
  innermost,
  isRecord,
  mostItemsOf,
} from './validation.ts'
import { steadyTime } from '../application/machine.ts'

/** Items of a list that are checked in one turn. */
export const itemsATurn = 50

export type LongList = {
  readonly path: readonly string[]
  readonly element: z.ZodType
  readonly items: readonly unknown[]
}

/** Lists that are worth more than one turn; one that is too long is refused without its items. */
export const longListsIn = (
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

export const problemsIn = async (
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

export const without = (value: unknown, [name, ...rest]: readonly string[]): unknown => {
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

/** What anybody may ask, and large requests and reads, get so much each beside small requests. */
const share = 0.25

const maxWaiting = 20_000

/** How long after a small request this holds, in ms. */
const besideMs = 100

export const refuseMore = (): never => {
  const retryAfter = { 'Retry-After': '2' }
  throw new RequestError(503, 'Too many are asking at the same time.', null, retryAfter)
}

/** Notes small requests of merchants, at the cost of one assignment each. */
const makeOtherWork = (elapsed: () => number) => {
  let hasCome = false
  let until = 0
  return {
    note: (): void => {
      hasCome = true
    },
    isUnderWay: (): boolean => {
      const now = elapsed()
      if (hasCome) until = now + besideMs
      hasCome = false
      return now < until
    },
  }
}

/**
 * Turns on the thread that answers (interface 3.9): of networks for what anybody may ask, of
 * merchants for large requests and for reads other than polls. @throws RequestError 503 when too
 * many wait
 */
export const makeTurns = (
  networksOf: (address: string) => readonly string[],
  elapsed = steadyTime,
) => {
  const other = makeOtherWork(elapsed)
  const limits = { share, maxWaiting, refuseMore, elapsed, isOtherWork: other.isUnderWay }
  const ofNetworks = threadShare(limits)
  const ofMerchants = threadShare(limits)
  return {
    ofAnybody: (address: string | undefined): Promise<void> =>
      ofNetworks(networksOf(address ?? '')),
    ofMerchant: (merchant: string): Promise<void> => ofMerchants([merchant]),
    noteSmall: other.note,
  }
}

export type Turns = ReturnType<typeof makeTurns>
