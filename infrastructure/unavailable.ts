import { StoreHeld, StoreUnavailable } from '../application/event-store.ts'
import { isHeld } from './sqlite.ts'

/** The failure of a database call as the port names it. */
export const unavailable = (error: unknown): StoreUnavailable => {
  const Failure = isHeld(error) ? StoreHeld : StoreUnavailable
  return new Failure(error instanceof Error ? error.message : String(error), { cause: error })
}
