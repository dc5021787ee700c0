import type { AuthorizationRequest } from '../../domain/people/authorization-events.ts'
import type { Instant } from '../../domain/time.ts'

/** An authorization request of a browser in which nobody has signed in yet. */
export type WaitingPass = {
  readonly request: AuthorizationRequest
  readonly browserHash: string
  readonly qrHash: string
  readonly startedAt: Instant
  readonly expiresAt: Instant
}

/** Characters in all: the oldest make room, so that strangers fill no log and no memory. */
const largest = 32 * 1_048_576
/** As long as a recorded one. */
const lifetimeMs = 600_000

const sizeOf = ({ request }: WaitingPass): number => JSON.stringify(request).length + 500

/** Passes in memory until somebody has signed in; only then they are recorded. */
export const makeWaitingPasses = () => {
  const passes = new Map<string, WaitingPass>()
  let size = 0

  const remove = (id: string): void => {
    const pass = passes.get(id)
    if (pass && passes.delete(id)) size -= sizeOf(pass)
  }

  const makeRoom = (at: Instant): void => {
    for (const [id, { expiresAt }] of passes) {
      if (size <= largest && at < expiresAt) return
      remove(id)
    }
  }

  return {
    find: (id: string): WaitingPass | undefined => passes.get(id),
    remove,
    /** Keeps the first of one id. */
    add: (
      id: string,
      pass: Pick<WaitingPass, 'request' | 'browserHash' | 'qrHash'>,
      at: Instant,
    ): WaitingPass => {
      const known = passes.get(id)
      if (known) return known
      const added = { ...pass, startedAt: at, expiresAt: at + lifetimeMs }
      passes.set(id, added)
      size += sizeOf(added)
      makeRoom(at)
      return added
    },
  }
}
