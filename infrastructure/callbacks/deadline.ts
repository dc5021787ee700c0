import { StoreUnavailable } from '../../application/event-store.ts'

/** Until when something may be sent, on two clocks that all threads share. */
export type Deadline = { readonly steady: number; readonly wall: number }

/** The lease may belong to another node by now; nothing was sent. */
export class TooLate extends StoreUnavailable {
  override readonly name = 'TooLate'
  constructor() {
    super('another node may send this message now')
  }
}

/** Continues while the process is frozen, but not while the machine sleeps. */
const steadyNow = (): number => Number(process.hrtime.bigint() / 1_000_000n)

export const deadlineIn = (milliseconds: number): Deadline => ({
  steady: steadyNow() + milliseconds,
  wall: Date.now() + milliseconds,
})

/** @throws TooLate */
export const checkDeadline = (deadline: Deadline | undefined): void => {
  if (deadline && (steadyNow() >= deadline.steady || Date.now() >= deadline.wall))
    throw new TooLate()
}
