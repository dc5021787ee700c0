import type { EventEmitter } from 'node:events'
import type { Metadata } from '@grpc/grpc-js'
import type { SecurityLog } from '../../application/security-log.ts'
import { tooMany, unauthenticated } from './messages.ts'
import type { HolderOf } from './tokens.ts'

export type AnyCall = EventEmitter & {
  readonly metadata: Metadata
  getPeer(): string
  getPath(): string
}

/** Reads and subscriptions at once. */
const mostReads = 64

const withoutPort = (peer: string): string => peer.replace(/:\d+$/, '')

type Needs = {
  /** Undefined when everybody may read. */
  readonly holderOf: HolderOf | undefined
  readonly record: SecurityLog['record']
  /** Learns of connections whose client has shown a token. */
  readonly known: (peer: string) => void
}

export type Admitted = {
  readonly leave: () => void
  /** @throws ProtocolFailure once the caller may read no more */
  readonly check: () => Promise<void>
}

/** Who may read how much, recorded. */
export const admission = ({ holderOf, record, known }: Needs) => {
  let reads = 0

  const callerOf = async (call: AnyCall) => {
    const peer = call.getPeer()
    const address = withoutPort(peer)
    const holder = holderOf ? await holderOf(call.metadata) : '?'
    if (holder === undefined) {
      record({ type: 'authentication_failed', actor: 'auditor:?', address })
      throw unauthenticated()
    }
    known(peer)
    return { actor: `auditor:${holder}`, address }
  }

  return {
    /** @throws ProtocolFailure */
    admit: async (call: AnyCall, about: string): Promise<Admitted> => {
      const caller = await callerOf(call)
      if (reads >= mostReads) throw tooMany(mostReads)
      reads += 1
      record({ type: 'auditor_read', ...caller, about })
      return {
        leave: () => void (reads -= 1),
        check: async () => {
          if (!holderOf || (await holderOf(call.metadata)) !== undefined) return
          record({ type: 'refused', ...caller, about, reason: 'the auditor may read no more' })
          throw unauthenticated()
        },
      }
    },
    /** @throws ProtocolFailure unless the caller has a token, who is refused what a call asks. */
    refuse: async (call: AnyCall): Promise<void> => {
      const reason = 'the log can only be read'
      record({ type: 'refused', ...(await callerOf(call)), about: call.getPath(), reason })
    },
  }
}
