import { StoreHeld, StoreUnavailable } from '../application/event-store.ts'
import { isHeld } from './sqlite.ts'

/** A database error as the port's StoreUnavailable. */
export const unavailable = (error: unknown): StoreUnavailable => {
  const Failure = isHeld(error) ? StoreHeld : StoreUnavailable
  return new Failure(error instanceof Error ? error.message : String(error), { cause: error })
}
