import { z } from 'zod'
import type { Decider, EventsOf } from '../decider.ts'
import { refuse } from '../refusal.ts'
import { isEnabled, type Entry } from '../register.ts'
import { switchable } from '../switchable.ts'
import { instant, type Instant } from '../time.ts'

/** Has read-only access to everything: a person with two factors, or the holder of a token. */
export const auditorRegister = switchable(
  'Auditor',
  z.object({
    id: z.string(),
    name: z.string(),
    /** Slow hash; null for an auditor with a token. */
    passwordHash: z.string().nullable(),
    /** Secret of the one-time codes, sealed with the vault. */
    codeSecret: z.string().nullable(),
    /** SHA-256 of a 256-bit token. */
    tokenHash: z.string().nullable(),
  }),
)

const signInEvents = {
  AuditorSignedIn: z.object({
    /** SHA-256 of the session's token. */
    session: z.string(),
    expiresAt: instant,
    /** Number of the one-time code's period. */
    codeStep: z.int(),
  }),
  AuditorSignedOut: z.object({ session: z.string() }),
}

const { decider: base } = auditorRegister

type AuditorData = z.output<typeof auditorRegister.events.AuditorRegistered>
type RegisterEvent = ReturnType<typeof base.decide>[number]
type AuditorEvent = RegisterEvent | EventsOf<typeof signInEvents>

type SignInCommand =
  | {
      readonly type: 'SignIn'
      readonly session: string
      readonly expiresAt: Instant
      /** Null for a wrong password or code. */
      readonly codeStep: number | null
    }
  | { readonly type: 'SignOut'; readonly session: string }

type AuditorCommand = Parameters<typeof base.decide>[0] | SignInCommand

type Auditor = Entry<AuditorData> & {
  /** When each session ends. */
  readonly sessions?: Readonly<Record<string, Instant>>
  readonly lastCodeStep?: number
}

/** Maximum number of live sessions; the oldest end first. */
const mostSessions = 20

const signedIn = (
  auditor: Auditor,
  { session, expiresAt, codeStep }: z.output<typeof signInEvents.AuditorSignedIn>,
  at: Instant,
): Auditor => {
  const lasting = Object.entries(auditor.sessions ?? {}).filter(([, end]) => at < end)
  const sessions = Object.fromEntries([...lasting.slice(1 - mostSessions), [session, expiresAt]])
  return { ...auditor, sessions, lastCodeStep: codeStep }
}

const withoutSession = (auditor: Auditor, session: string): Auditor => {
  const { [session]: _, ...sessions } = auditor.sessions ?? {}
  return { ...auditor, sessions }
}

const decider: Decider<AuditorCommand, AuditorEvent, Auditor> = {
  initial: base.initial,
  decide(command, auditor) {
    switch (command.type) {
      case 'SignIn': {
        const { session, expiresAt, codeStep } = command
        // A code can be used once (RFC 6238, 5.2).
        const isRight = codeStep !== null && codeStep > (auditor.lastCodeStep ?? -1)
        if (!isEnabled(auditor) || !isRight) return refuse('sign_in_is_wrong')
        return [{ type: 'AuditorSignedIn', data: { session, expiresAt, codeStep } }]
      }
      case 'SignOut': {
        const { session } = command
        return session in (auditor.sessions ?? {})
          ? [{ type: 'AuditorSignedOut', data: { session } }]
          : []
      }
      default:
        return base.decide(command, auditor)
    }
  },
  evolve(auditor, event, place) {
    if (event.type === 'AuditorSignedIn') return signedIn(auditor, event.data, place.at)
    if (event.type === 'AuditorSignedOut') return withoutSession(auditor, event.data.session)
    const { sessions: _, ...rest } = auditor
    // A disabled, changed or removed auditor must sign in again.
    return { ...base.evolve(rest, event, place), ...lastCodeOf(auditor) }
  },
}

const lastCodeOf = ({ lastCodeStep }: Auditor): Pick<Auditor, 'lastCodeStep'> =>
  lastCodeStep === undefined ? {} : { lastCodeStep }

export const auditor = {
  ...auditorRegister,
  events: { ...auditorRegister.events, ...signInEvents },
  decider,
}

/** Whether a session is live; disabled auditors have none. */
export const isSignedIn = (entry: Auditor, session: string, at: Instant): boolean =>
  isEnabled(entry) && at < (entry.sessions?.[session] ?? 0)
