import { z } from 'zod'
import type { Decider, EventsOf } from './decider.ts'
import { instant } from './time.ts'
import type { Upcast } from './upcast.ts'

/** How request ids are derived; clustered ids of consecutive requests share a prefix. */
const idScheme = z.enum(['scattered', 'clustered'])

export type IdScheme = z.output<typeof idScheme>

export const installationEvents = {
  /** First event of the log. All nodes derive tids and rids from its key. */
  InstallationMade: z.object({ key: z.base64(), ids: idScheme }),
  /** Id of the vault whose keys seal personal data. */
  VaultChosen: z.object({ vault: z.string() }),
  /** The log served production; the sandbox refuses to open it. */
  ProductionBegun: z.object({}),
  /** The vault is wrapped with another key, which has this id. */
  VaultRewrapped: z.object({ keyId: z.string() }),
  /** An ID token key was published. Signing starts at `signsFrom`. */
  IdTokenKeyAdded: z.object({ kid: z.string(), publicKey: z.string(), signsFrom: instant }),
  /** The operator continued with a log that lacks previously seen events. */
  LossAccepted: z.object({
    /** Where the log ended. */
    end: z.int(),
    /** The newest event previously seen. */
    seen: z.object({
      position: z.int(),
      stream: z.string(),
      revision: z.int(),
      event: z.string(),
    }),
    /** What the vault and the blobs lacked, in words. */
    lacks: z.array(z.string()).optional(),
  }),
} as const

export const installationUpcasts = {
  // Old logs keep scattered ids, so that repeated requests find the first one.
  InstallationMade: [(data) => ({ ...(data as object), ids: 'scattered' })],
} satisfies Partial<Record<keyof typeof installationEvents, readonly Upcast[]>>

export type InstallationEvent = EventsOf<typeof installationEvents>

type IdTokenKeyAdded = z.output<typeof installationEvents.IdTokenKeyAdded>

type LossAccepted = z.output<typeof installationEvents.LossAccepted>

export type Installation = {
  readonly key: string | null
  /** Before the first event: the scheme for new logs. */
  readonly ids: IdScheme
  readonly vault: string | null
  readonly isProduction: boolean
}

export type InstallationCommand =
  | { readonly type: 'MakeInstallation'; readonly key: string }
  | { readonly type: 'ChooseVault'; readonly vault: string }
  | { readonly type: 'BeginProduction' }
  | { readonly type: 'NoteRewrap'; readonly keyId: string }
  | { readonly type: 'NoteIdTokenKey'; readonly data: IdTokenKeyAdded }
  | { readonly type: 'AcceptLoss'; readonly data: LossAccepted }

/** Set once by the first process that opens the log. */
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
      case 'NoteRewrap':
        return [{ type: 'VaultRewrapped', data: { keyId: command.keyId } }]
      case 'NoteIdTokenKey':
        return [{ type: 'IdTokenKeyAdded', data: command.data }]
      case 'AcceptLoss':
        return [{ type: 'LossAccepted', data: command.data }]
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
      case 'VaultRewrapped':
      case 'IdTokenKeyAdded':
      case 'LossAccepted':
        return made
    }
  },
}
