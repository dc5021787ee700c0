import type { SigningTime, Decider } from './decider.ts'
import { refuse } from './refusal.ts'
import type { LastSigning, WithSigning } from './register.ts'

const after = (last: LastSigning | undefined, { at, signature }: SigningTime): LastSigning => {
  const signatures = signature === null ? [] : [signature]
  if (!last || at > last.at) return { at, signatures }
  // Timestamps have whole seconds, so several changes may share one.
  return at === last.at ? { at, signatures: [...last.signatures, ...signatures] } : last
}

/**
 * Wraps a register so that its signed changes apply once and in order (interface 3.8): one signed
 * before the last change would undo it, and a repeated signature does nothing.
 */
export const ordered = <
  Command,
  Event,
  State extends WithSigning,
  Rest extends { readonly decider: Decider<Command, Event, State> },
>(
  register: Rest & { readonly decider: Decider<Command, Event, State> },
) => {
  const base = register.decider
  const decider: Decider<Command, Event, State> = {
    initial: base.initial,
    decide(command, entry, signing) {
      const last = entry.asked
      if (!last || signing?.signature == null) return base.decide(command, entry)
      if (signing.at === last.at && last.signatures.includes(signing.signature)) return []
      const events = base.decide(command, entry)
      return signing.at < last.at && events.length > 0 ? refuse('change_is_older') : events
    },
    evolve(entry, event, place) {
      const next = base.evolve(entry, event, place)
      if (!place.asked && !entry.asked) return next
      return { ...next, asked: place.asked ? after(entry.asked, place.asked) : entry.asked }
    },
  }
  return { ...register, decider, isOrdered: true as const }
}
