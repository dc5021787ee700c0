import { z } from 'zod'
import type { Decider, EventsOf } from '../decider.ts'
import type { WithSigning } from '../register.ts'
import { instant, type Instant } from '../time.ts'

/** How long messages are also signed with the previous secret. */
const overlapMs = 86_400_000

/** Streams `callback_secret-<merchant>`. The secrets themselves are derived with the vault. */
export const callbackSecretEvents = {
  CallbackSecretRotated: z.object({ at: instant }),
} as const

export type CallbackSecretCommand = { readonly type: 'RotateCallbackSecret'; readonly at: Instant }

type CallbackSecretNumber = {
  readonly number: number
  /** Null for the current one. */
  readonly validUntil: Instant | null
}

/** Every merchant has secret number 0 from the start. */
export type CallbackSecretState = WithSigning & {
  readonly current: number
  /** Newest first. */
  readonly earlier: readonly CallbackSecretNumber[]
}

export type CallbackSecretEvent = EventsOf<typeof callbackSecretEvents>

export const callbackSecret: Decider<
  CallbackSecretCommand,
  CallbackSecretEvent,
  CallbackSecretState
> = {
  initial: { current: 0, earlier: [] },
  decide: ({ at }) => [{ type: 'CallbackSecretRotated', data: { at } }],
  evolve: ({ current, earlier }, { data }) => ({
    current: current + 1,
    earlier: [{ number: current, validUntil: data.at + overlapMs }, ...earlier].filter(
      ({ validUntil }) => validUntil === null || data.at < validUntil,
    ),
  }),
}

/** The current number first, then the previous ones that still sign. */
export const validNumbers = (
  { current, earlier }: CallbackSecretState,
  at: Instant,
): readonly CallbackSecretNumber[] => [
  { number: current, validUntil: null },
  ...earlier.filter(({ validUntil }) => at < (validUntil ?? Infinity)),
]
