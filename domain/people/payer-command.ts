import type { Instant } from '../time.ts'

export const pinPattern = /^\d{4,12}$/

/** One repeated digit, or a sequence such as 1234, 7890 or 4321. */
const isEasyPin = (pin: string): boolean => {
  const steps = new Set<number>()
  for (let at = 1; at < pin.length; at += 1)
    steps.add((Number(pin[at]) - Number(pin[at - 1]) + 10) % 10)
  const [step] = steps
  return steps.size === 1 && (step === 0 || step === 1 || step === 9)
}

/** Whether a payer may choose it; existing PINs stay valid. */
export const isNewPin = (pin: string): boolean => pinPattern.test(pin) && !isEasyPin(pin)

export type Attempt = {
  readonly at: Instant
  /** SHA-256 of the device's cookie. */
  readonly known?: string | undefined
}

export type CodeAttempt = Attempt & {
  /** Null for a wrong code. */
  readonly codeStep: number | null
  /** Whether used codes are refused (RFC 6238, 5.2). */
  readonly codesWorkOnce: boolean
}

/** Only key holders can merge sealed data, so a command includes the value it started from. */
export type CredentialsChange = { readonly before: string; readonly credentials: string }

export type PayerCommand =
  | { readonly type: 'RegisterPayer'; readonly profile: string; readonly credentials: string }
  | { readonly type: 'ChangeProfile'; readonly before: string; readonly profile: string }
  | {
      readonly type: 'ProveNumber'
      readonly before: string
      readonly profile: string
      readonly absorbed?: string | undefined
    }
  | { readonly type: 'LoseNumber' }
  | (Attempt & { readonly type: 'CheckPin'; readonly isRight: boolean })
  | (CodeAttempt & {
      readonly type: 'SignIn'
      /** The recovery code used instead of a one-time code. */
      readonly recovery?: CredentialsChange | undefined
      readonly session: string
      readonly expiresAt: Instant
      /** Sealed. */
      readonly device?: string | undefined
    })
  | (CodeAttempt & {
      readonly type: 'ConfirmCode'
      readonly recovery?: CredentialsChange | undefined
    })
  | (CredentialsChange & {
      readonly type: 'ChangeCredentials'
      readonly at: Instant
      readonly what: 'pin' | 'authenticator' | 'recovery_codes' | 'recovery'
      readonly codeStep?: number | undefined
      readonly known?: string | undefined
      /** The session that remains; all others end. */
      readonly keeping?: string | undefined
    })
  | { readonly type: 'UseSession'; readonly session: string }
  | { readonly type: 'SignOut'; readonly session: string }
  | {
      readonly type: 'SignOutEverywhere'
      readonly at: Instant
      readonly keeping?: string | undefined
    }
  | { readonly type: 'ErasePayer' }
