import type { DamagedEvent } from '../../application/event-store.ts'

/** An error in the form sent between threads, where its class would be lost. */
export type ThreadProblem = {
  readonly problem: string
  /** Code of an SQLite error. */
  readonly code?: string
  readonly damaged?: DamagedEvent['event']
  readonly isUnreadable?: true
}

/** By names, because a thread for small jobs does not load the classes. */
export const problemOf = (error: unknown): ThreadProblem => {
  if (!(error instanceof Error)) return { problem: String(error) }
  const { name, message } = error
  if (name === 'DamagedEvent') {
    const { problem, event } = error as DamagedEvent
    return { problem, damaged: event }
  }
  if (name === 'UnreadableEvent') return { problem: message, isUnreadable: true }
  const { code } = error as { readonly code?: string }
  return name === 'SqliteError' && code ? { problem: message, code } : { problem: message }
}
