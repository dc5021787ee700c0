import type { UnreadableEvent } from '../../domain/events.ts'
import {
  StoreUnavailable,
  type DamagedEvent,
  type Position,
} from '../../application/event-store.ts'
import { clearTimeout, setTimeout } from '../../application/machine.ts'

type Waiter = {
  readonly target: Position
  readonly resolve: () => void
  readonly reject?: (error: Error) => void
}

type Needs = {
  readonly position: () => Position
  /** How long a reader waits, in ms. */
  readonly waitMs: number
  readonly hurry: () => void
}

/** Readers that wait until the read models reach a position. */
export const makeWaiters = ({ position, waitMs, hurry }: Needs) => {
  /** Waiters that justify an immediate transaction. */
  let urgent: Waiter[] = []
  let patient: Waiter[] = []

  const wake = (waiters: readonly Waiter[]): Waiter[] => {
    const isReady = ({ target }: Waiter): boolean => target <= position()
    for (const waiter of waiters) if (isReady(waiter)) waiter.resolve()
    return waiters.filter((waiter) => !isReady(waiter))
  }

  const reached = (target: Position, isUrgent: boolean): Promise<void> =>
    new Promise((resolve, reject) => {
      const waiter = {
        target,
        resolve: () => {
          clearTimeout(timer)
          resolve()
        },
        reject: (error: Error) => {
          clearTimeout(timer)
          reject(error)
        },
      }
      const isOther = (other: Waiter): boolean => other !== waiter
      const timer = setTimeout(() => {
        urgent = urgent.filter(isOther)
        patient = patient.filter(isOther)
        reject(new StoreUnavailable('the read models are still catching up with the log'))
      }, waitMs)
      if (!isUrgent) return void patient.push(waiter)
      urgent.push(waiter)
      hurry()
    })

  return {
    /** @throws StoreUnavailable on timeout */
    reached,
    /** Waits without a limit. */
    reachedSometime: (target: Position): Promise<void> =>
      new Promise((resolve) => {
        if (target <= position()) resolve()
        else patient.push({ target, resolve })
      }),
    moved: (): void => {
      urgent = wake(urgent)
      patient = wake(patient)
      if (urgent.length > 0) hurry()
    },
    /** Nothing after a damaged or unreadable event can be folded. */
    stopAt: (damage: DamagedEvent | UnreadableEvent): void => {
      const waiting = [...urgent, ...patient]
      urgent = []
      patient = patient.filter(({ reject }) => !reject)
      for (const { reject } of waiting) reject?.(damage)
    },
  }
}
