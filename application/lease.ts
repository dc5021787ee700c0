import type { Fence } from '../domain/leases.ts'
import { StoreUnavailable } from './event-store.ts'

/** Another node does this work now, or may soon: nothing of it may be begun or recorded here. */
export class LeaseLost extends StoreUnavailable {
  override readonly name = 'LeaseLost'
  constructor({ work }: Pick<Fence, 'work'>) {
    super(`another node may do the work of ${work} now`)
  }
}

/** What an event of leased work names: who may append it, for as long as `isHeld`. */
export type Lease = Fence & { readonly isHeld: () => boolean }

/** Whether a later holder has appended already. */
export const isFenced = (newest: Fence | undefined, lease: Fence): boolean =>
  newest?.work === lease.work && newest.revision > lease.revision

/** The newest lease of events in their order. */
export const newestFence = (
  before: Fence | undefined,
  events: readonly { readonly metadata: { readonly lease?: Fence | undefined } }[],
): Fence | undefined => events.findLast(({ metadata }) => metadata.lease)?.metadata.lease ?? before
