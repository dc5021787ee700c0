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

/** Maximum concurrent reads and subscriptions. */
const mostReads = 64

const withoutPort = (peer: string): string => peer.replace(/:\d+$/, '')

type Needs = {
  /** Undefined if anyone may read. */
  readonly holderOf: HolderOf | undefined
  readonly record: SecurityLog['record']
  /** Called with connections whose client has presented a token. */
  readonly known: (peer: string) => void
}

export type Admitted = {
  readonly leave: () => void
  /** @throws ProtocolFailure once the caller may no longer read */
  readonly check: () => Promise<void>
}

/** Limits and records who reads. */
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
    /** Records a call that nobody may make. @throws ProtocolFailure for callers without a token */
    refuse: async (call: AnyCall): Promise<void> => {
      const reason = 'the log can only be read'
      record({ type: 'refused', ...(await callerOf(call)), about: call.getPath(), reason })
    },
  }
}
