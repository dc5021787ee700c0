import type { Call } from './call.ts'
import { RequestError } from './errors.ts'
import type { Route } from './route.ts'

type Limits = {
  /** How many are at work at the same time; those that wait for a slow hash hold up no more than these. */
  readonly atOnce: number
  /** How many wait for their turn before others are sent away. */
  readonly mostWaiting: number
}

const usual: Limits = { atOnce: 16, mostWaiting: 20_000 }

/**
 * Work in the order in which it came, one beginning in each turn of the event loop: whatever else the process does comes
 * between, however many wait. @throws RequestError 503 when too many do
 */
export const concurrencyLimit = ({ atOnce, mostWaiting } = usual) => {
  const waiting: (() => void)[] = []
  let first = 0
  let working = 0
  let isDue = false

  const next = (): void => {
    isDue = false
    const begin = waiting[first]
    if (!begin || working === atOnce) return
    first += 1
    if (first > 1_000) {
      waiting.splice(0, first)
      first = 0
    }
    working += 1
    begin()
    soon()
  }
  const soon = (): void => {
    if (isDue || working === atOnce || first === waiting.length) return
    isDue = true
    setImmediate(next)
  }

  return async <Result>(work: () => Result | Promise<Result>): Promise<Result> => {
    if (waiting.length - first >= mostWaiting)
      throw new RequestError(503, 'Too many are asking at the same time.', null, {
        'Retry-After': '2',
      })
    await new Promise<void>((resolve) => {
      waiting.push(resolve)
      soon()
    })
    try {
      return await work()
    } finally {
      working -= 1
      soon()
    }
  }
}

/** Routes of which ever so many requests at once must not hold up the others. */
export const inTurns = (routes: readonly Route[]): Route[] => {
  const inTurn = concurrencyLimit()
  return routes.map((route) => ({
    ...route,
    handle: (call: Call<never, never, never>) => inTurn(() => route.handle(call)),
  }))
}
