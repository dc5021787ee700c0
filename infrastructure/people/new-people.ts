import { StoreUnavailable } from '../../application/event-store.ts'
import { isHeld } from '../sqlite.ts'
import { unavailable } from '../system-errors.ts'
import { setImmediate, setTimeout, steadyTime } from '../../application/machine.ts'

/** How long adding a person waits for other processes' locks, in ms. */
const timeoutMs = 5_000

const retryDelay = 5

/** People per transaction; more would block this thread too long. */
const peopleInGroup = 64

const mostWaiting = 10_000

/** Pause after a group, as a multiple of the time it took to write. */
const pauseAfterGroup = 3

/** `wanted`: the id for a new person. `merchant`: who names them for the first time. */
type NewName = {
  readonly identifier: string
  readonly requestedId?: string | undefined
  readonly merchant?: string | undefined
}

type Waiting = NewName & {
  readonly since: number
  readonly id: Promise<string>
  readonly resolve: (id: string) => void
  readonly reject: (error: Error) => void
}

type Needs = {
  /** Returns the person's id, new or existing. @throws SqliteError */
  readonly add: (name: NewName) => string
  /** Runs the work in one transaction, without waiting for locks. @throws SqliteError */
  readonly inTransaction: (work: () => void) => void
}

const keyOf = ({ identifier, merchant = '' }: NewName): string => `${merchant}\n${identifier}`

const waitingFor = (name: NewName): Waiting => {
  let settle: Pick<Waiting, 'resolve' | 'reject'> = { resolve: () => {}, reject: () => {} }
  const id = new Promise<string>((resolve, reject) => (settle = { resolve, reject }))
  return { ...name, since: steadyTime(), id, ...settle }
}

/**
 * Adds new people in groups, one transaction each. Stays on this thread: if another thread wrote,
 * the rollback journal would lock this one out of the file.
 */
export const addInGroups = ({ add, inTransaction }: Needs) => {
  /** By name and merchant, so that a person named twice is written once. */
  const waiting = new Map<string, Waiting>()
  let isScheduled = false
  let pausedUntil = 0
  let onEmpty: (() => void) | undefined

  const fail = (people: readonly Waiting[], error: StoreUnavailable): void => {
    for (const person of people) {
      waiting.delete(keyOf(person))
      person.reject(error)
    }
  }

  /** Resolves only after the commit. */
  const write = (group: readonly Waiting[]): void => {
    const answers: (() => void)[] = []
    inTransaction(() => {
      for (const person of group) {
        const id = add(person)
        answers.push(() => {
          waiting.delete(keyOf(person))
          person.resolve(id)
        })
      }
    })
    for (const answer of answers) answer()
  }

  const flush = (): void => {
    isScheduled = false
    const began = steadyTime()
    const all = [...waiting.values()]
    const group = all.slice(0, peopleInGroup)
    let rest = 0
    try {
      write(group)
      rest = pauseAfterGroup * (steadyTime() - began)
    } catch (error) {
      rest = retryDelay
      if (!isHeld(error)) fail(group, unavailable(error))
      else if (began - (all[0]?.since ?? 0) >= timeoutMs)
        // The others would fail for the same reason.
        fail(all, new StoreUnavailable('another process holds the vault', { cause: error }))
    }
    pausedUntil = steadyTime() + rest
    if (waiting.size === 0) onEmpty?.()
    schedule()
  }

  const schedule = (): void => {
    if (isScheduled || waiting.size === 0) return
    isScheduled = true
    const rest = pausedUntil - steadyTime()
    if (rest > 0) setTimeout(flush, rest)
    else setImmediate(flush)
  }

  return {
    /** @throws StoreUnavailable */
    add: async (name: NewName): Promise<string> => {
      const key = keyOf(name)
      const known = waiting.get(key)
      if (known) return known.id
      if (waiting.size >= mostWaiting)
        throw new StoreUnavailable('too many people are waiting for the vault')
      const added = waitingFor(name)
      waiting.set(key, added)
      schedule()
      return added.id
    },
    /** Resolves when everybody is written. Do not call `add` after this. */
    finish: (): Promise<void> =>
      new Promise((resolve) => {
        if (waiting.size === 0) resolve()
        else onEmpty = resolve
      }),
  }
}
