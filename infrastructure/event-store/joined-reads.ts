import { ignore } from './eventstoredb-calls.ts'

/** Maximum concurrent reads: bursts of more make a node slow. */
const usuallyAtOnce = 32

/** A semaphore; others wait in order. */
const makeTurns = (most: number) => {
  const waiting: (() => void)[] = []
  let working = 0
  return {
    take: async (): Promise<void> => {
      if (working >= most) await new Promise<void>((resolve) => waiting.push(resolve))
      else working += 1
    },
    leave: (): void => {
      const next = waiting.shift()
      if (next) next()
      else working -= 1
    },
  }
}

/**
 * Limits concurrent reads, and joins reads of the same thing. A request during a read shares the
 * next one, because the current one may have started before the write it must see.
 */
export const joinReads = <Answer>(atOnce = usuallyAtOnce) => {
  const turns = makeTurns(atOnce)
  const present = new Map<string, Promise<Answer>>()
  const next = new Map<string, Promise<Answer>>()

  const put = async (key: string, ask: () => Promise<Answer>): Promise<Answer> => {
    await present.get(key)?.catch(ignore)
    await turns.take()
    next.delete(key)
    const answer = ask()
    present.set(key, answer)
    try {
      return await answer
    } finally {
      turns.leave()
      if (present.get(key) === answer) present.delete(key)
    }
  }

  return (key: string, ask: () => Promise<Answer>): Promise<Answer> => {
    const known = next.get(key)
    if (known) return known
    const asked = put(key, ask)
    next.set(key, asked)
    return asked
  }
}
