import { z } from 'zod'
import type { Decider, EventsOf } from './decider.ts'

export const installationEvents = {
  /** The first event of the log. Its key derives every tid, so all nodes and rebuilds agree. */
  InstallationMade: z.object({ key: z.base64() }),
} as const

export type InstallationEvent = EventsOf<typeof installationEvents>
export type Installation = { readonly key: string | null }

export const installation: Decider<
  { readonly type: 'MakeInstallation'; readonly key: string },
  InstallationEvent,
  Installation
> = {
  initial: { key: null },
  decide: ({ key }, made) =>
    made.key === null ? [{ type: 'InstallationMade', data: { key } }] : [],
  evolve: (_, { data }) => ({ key: data.key }),
}
