import { z } from 'zod'
import type { Decider, EventsOf } from './decider.ts'
import type { Upcast } from './upcast.ts'

/** How ids of requests are made: scattered, or clustered, so that those begin alike which their POS numbers in a row. */
const idScheme = z.enum(['scattered', 'clustered'])
export type IdScheme = z.output<typeof idScheme>

export const installationEvents = {
  /** The first event of the log. Its key derives every tid and rid in this way, so all nodes and rebuilds agree. */
  InstallationMade: z.object({ key: z.base64(), ids: idScheme }),
  /** The vault whose keys seal what the log says of people, by a name that tells nothing of them. */
  VaultChosen: z.object({ vault: z.string() }),
  /** The service has answered for production: the sandbox never opens this log to whoever knows its secrets. */
  ProductionBegun: z.object({}),
} as const

export const installationUpcasts = {
  // The ids of the first logs were scattered, and stay so: a repeated request must meet the first one.
  InstallationMade: [(data) => ({ ...(data as object), ids: 'scattered' })],
} satisfies Partial<Record<keyof typeof installationEvents, readonly Upcast[]>>

type InstallationEvent = EventsOf<typeof installationEvents>
type Installation = {
  readonly key: string | null
  /** Of a log that has not begun, how it will make them. */
  readonly ids: IdScheme
  readonly vault: string | null
  readonly isProduction: boolean
}

type InstallationCommand =
  | { readonly type: 'MakeInstallation'; readonly key: string }
  | { readonly type: 'ChooseVault'; readonly vault: string }
  | { readonly type: 'BeginProduction' }

/** What is decided once for a log, by whoever opens it first. */
export const installation: Decider<InstallationCommand, InstallationEvent, Installation> = {
  initial: { key: null, ids: 'clustered', vault: null, isProduction: false },
  decide(command, made) {
    switch (command.type) {
      case 'MakeInstallation':
        return made.key === null
          ? [{ type: 'InstallationMade', data: { key: command.key, ids: made.ids } }]
          : []
      case 'ChooseVault':
        return made.vault === null ? [{ type: 'VaultChosen', data: { vault: command.vault } }] : []
      case 'BeginProduction':
        return made.isProduction ? [] : [{ type: 'ProductionBegun', data: {} }]
    }
  },
  evolve(made, event) {
    switch (event.type) {
      case 'InstallationMade':
        return { ...made, ...event.data }
      case 'VaultChosen':
        return { ...made, vault: event.data.vault }
      case 'ProductionBegun':
        return { ...made, isProduction: true }
    }
  },
}
