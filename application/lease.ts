import type { Fence } from '../domain/leases.ts'
import { StoreUnavailable } from './event-store.ts'

/** Another node does this work now, or may soon: this node must not start or record any of it. */
export class LeaseLost extends StoreUnavailable {
  override readonly name = 'LeaseLost'
  constructor({ work }: Pick<Fence, 'work'>) {
    super(`another node may do the work of ${work} now`)
  }
}

/** The lease in an event of leased work: its holder may append while `isHeld`. */
export type Lease = Fence & { readonly isHeld: () => boolean }

/** Whether a later holder has already appended. */
export const isFenced = (newest: Fence | undefined, lease: Fence): boolean =>
  newest?.work === lease.work && newest.revision > lease.revision

/** The newest lease of a list of events in order. */
export const newestFence = (
  before: Fence | undefined,
  events: readonly { readonly metadata: { readonly lease?: Fence | undefined } }[],
): Fence | undefined => events.findLast(({ metadata }) => metadata.lease)?.metadata.lease ?? before
