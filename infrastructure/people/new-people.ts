import { StoreUnavailable } from '../../application/event-store.ts'
import { isHeld } from '../sqlite.ts'
import { unavailable } from '../unavailable.ts'

/** How long somebody new waits for other processes to leave the file, in ms: nothing else waits with them. */
const patience = 5_000
const retryDelay = 5

/** People in one transaction: more of them would hold up everything else in this thread. */
const peopleInGroup = 64

const mostWaiting = 10_000

/** After a group, this thread does other work for so many times as long as the group took, however slow the disk. */
const restAfterGroup = 3

type Waiting = {
  readonly identifier: string
  readonly wanted: string | undefined
  readonly since: number
  readonly id: Promise<string>
  readonly resolve: (id: string) => void
  readonly reject: (error: Error) => void
}

type Needs = {
  /** Adds somebody unless they are there; answers the id that they have now. @throws SqliteError */
  readonly add: (identifier: string, wanted: string | undefined) => string
  /** What the work adds is in the file, all or nothing of it. Waits for no other process. @throws SqliteError */
  readonly together: (work: () => void) => void
}

const waitingFor = (identifier: string, wanted: string | undefined): Waiting => {
  let settle: Pick<Waiting, 'resolve' | 'reject'> = { resolve: () => {}, reject: () => {} }
  const id = new Promise<string>((resolve, reject) => (settle = { resolve, reject }))
  return { identifier, wanted, since: performance.now(), id, ...settle }
}

/**
 * Writes people whom nobody has named before, many in a transaction: all who are named while a group is written, and while
 * this thread rests from it, share the next one. It is done by the thread that answers, for nobody can read a file with a
 * rollback journal while it is written: another thread would keep this one out for as long, or with a 503.
 */
export const addInGroups = ({ add, together }: Needs) => {
  /** By identifier: who is named again meanwhile is written once. */
  const waiting = new Map<string, Waiting>()
  let isScheduled = false
  let restsUntil = 0
  let emptied: (() => void) | undefined

  const fail = (people: readonly Waiting[], error: StoreUnavailable): void => {
    for (const { identifier, reject } of people) {
      waiting.delete(identifier)
      reject(error)
    }
  }

  /** Nobody is answered before all are in the file. */
  const write = (group: readonly Waiting[]): void => {
    const answers: (() => void)[] = []
    together(() => {
      for (const { identifier, wanted, resolve } of group) {
        const id = add(identifier, wanted)
        answers.push(() => {
          waiting.delete(identifier)
          resolve(id)
        })
      }
    })
    for (const answer of answers) answer()
  }

  const flush = (): void => {
    isScheduled = false
    const began = performance.now()
    const all = [...waiting.values()]
    const group = all.slice(0, peopleInGroup)
    let rest = 0
    try {
      write(group)
      rest = restAfterGroup * (performance.now() - began)
    } catch (error) {
      rest = retryDelay
      if (!isHeld(error)) fail(group, unavailable(error))
      else if (began - (all[0]?.since ?? 0) >= patience)
        // All others would meet the same.
        fail(all, new StoreUnavailable('another process holds the vault', { cause: error }))
    }
    restsUntil = performance.now() + rest
    if (waiting.size === 0) emptied?.()
    schedule()
  }

  const schedule = (): void => {
    if (isScheduled || waiting.size === 0) return
    isScheduled = true
    const rest = restsUntil - performance.now()
    if (rest > 0) setTimeout(flush, rest)
    else setImmediate(flush)
  }

  return {
    /** The id of whoever has that identifier, once they are in the file. @throws StoreUnavailable */
    add: async (identifier: string, wanted: string | undefined): Promise<string> => {
      const known = waiting.get(identifier)
      if (known) return known.id
      if (waiting.size >= mostWaiting)
        throw new StoreUnavailable('too many people wait to be written into the vault')
      const added = waitingFor(identifier, wanted)
      waiting.set(identifier, added)
      schedule()
      return added.id
    },
    /** Resolves when nobody waits any more: none may come after this call. */
    finish: (): Promise<void> =>
      new Promise((resolve) => {
        if (waiting.size === 0) resolve()
        else emptied = resolve
      }),
  }
}
