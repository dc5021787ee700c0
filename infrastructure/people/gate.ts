/**
 * Lets at most so many pieces of slow work run at once. The others wait, and those for whom they wait take turns:
 * whoever has much to be done waits for it alone.
 */
export const makeGate = (most: number) => {
  let running = 0
  /** What waits for each; first whose turn is next. */
  const waiting = new Map<string, (() => void)[]>()

  const comeIn = (whose: string): Promise<void> =>
    new Promise((resolve) => {
      const others = waiting.get(whose)
      if (others) others.push(resolve)
      else waiting.set(whose, [resolve])
    })

  const leave = (): void => {
    const [first] = waiting
    if (!first) {
      running -= 1
      return
    }
    const [whose, theirs] = first
    const next = theirs.shift()
    waiting.delete(whose)
    if (theirs.length > 0) waiting.set(whose, theirs)
    next?.()
  }

  return async <Result>(work: () => Promise<Result>, whose = ''): Promise<Result> => {
    if (running === most) await comeIn(whose)
    else running += 1
    try {
      return await work()
    } finally {
      leave()
    }
  }
}
