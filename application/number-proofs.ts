import { withoutBlanks } from '../domain/blanks.ts'
import { refuse, Refusal } from '../domain/refusal.ts'
import { secondsAfter, type Instant, type Seconds } from '../domain/time.ts'
import type { Traceparent } from './tracing.ts'

/** Sends a text to a phone number, or to an e-mail address, in the background. */
export type SendMessage = (to: string, text: string, traceparent?: Traceparent) => void

/** What a code is good for. */
type ProofPurpose = 'sign_up' | 'change' | 'recovery' | 'mail'

export type Limit = {
  /** @throws Refusal sign_in_is_locked */
  check(key: string, at: Instant): void
  count(key: string, at: Instant): void
}

type NumberProofNeeds = {
  /** Undefined if the operator has configured no way to send messages. */
  readonly sendMessage: SendMessage | undefined
  /** Six random digits. */
  readonly newNumberCode: () => string
  readonly newId: () => string
  /** Encrypts a value that the client holds and returns. */
  readonly seal: (text: string) => string
  readonly unseal: (sealed: string) => string | undefined
  readonly isSameText: (a: string, b: string) => boolean
  /** Limits of messages per number, and of requests per address and per destination. */
  readonly messageLimits: {
    readonly number: Limit
    readonly address: Limit
    /** By where the number is, and in all. */
    readonly destination: Limit
  }
  /** Wrong attempts per code. */
  readonly tries: Limit
  /** Codes used on any node. */
  readonly used: {
    /** The latest entry of a name counts; it may be dropped after `until`. */
    note(name: string, at: Instant, until: Instant): Promise<void>
    latest(name: string): Promise<Instant | undefined>
  }
  /** Runs work after the response is sent, so that its duration reveals nothing. */
  readonly afterAnswer: (work: () => Promise<void>) => void
}

/** A proved number, or e-mail address, with the time its code was requested. */
export type ProvedNumber = { readonly phone: string; readonly askedAt: Instant }

type Proof = ProvedNumber & {
  readonly id: string
  readonly purpose: ProofPurpose
  /** The account that requested it, if any. */
  readonly payer: string | null
  /** Null if none could be sent. */
  readonly code: string | null
  readonly until: Instant
}

type ProofRequest = Pick<Proof, 'purpose' | 'phone'> & {
  readonly payer?: string
  readonly at: Instant
  readonly address: string
  /** The message text, including the code. */
  readonly word: (code: string) => Promise<string>
  /** Continues if no message can be sent, because other proofs are accepted too. */
  readonly isOptional?: boolean
  readonly traceparent?: Traceparent | undefined
}

const proofLifetime: Seconds = 900

/** A used code is void, and so are all codes requested before it. */
const usedCodes = ({ used }: NumberProofNeeds) => ({
  use: ({ phone, askedAt }: ProvedNumber): Promise<void> =>
    used.note(`number ${phone}`, askedAt, secondsAfter(askedAt, proofLifetime)),
  /** A use recorded by a clock that was ahead does not count. */
  isUsed: async ({ phone, askedAt }: ProvedNumber, at: Instant): Promise<boolean> => {
    const last = await used.latest(`number ${phone}`)
    return last !== undefined && askedAt <= last && last <= at
  },
})

/** Counts a message to the number. @throws Refusal unless it is optional */
const countMessage = (
  { sendMessage, messageLimits }: NumberProofNeeds,
  phone: string,
  at: Instant,
  isOptional: boolean,
): boolean => {
  const key = `number:${phone}`
  try {
    if (!sendMessage) return refuse('messages_cannot_be_sent')
    messageLimits.number.check(key, at)
  } catch (error) {
    if (isOptional && error instanceof Refusal) return false
    throw error
  }
  messageLimits.number.count(key, at)
  return true
}

/**
 * Codes sent to phone numbers, or to e-mail addresses. The client keeps the sealed request, so that
 * strangers store nothing here.
 */
export const numberProofs = (needs: NumberProofNeeds) => {
  const { sendMessage, messageLimits, tries } = needs
  const { use, isUsed } = usedCodes(needs)

  /** Sends a code. @throws Refusal messages_cannot_be_sent, sign_in_is_locked */
  const ask = ({ phone, at, address, word, traceparent, ...asking }: ProofRequest): string => {
    const { purpose, payer = '', isOptional = false } = asking
    const isSent = countMessage(needs, phone, at, isOptional)
    messageLimits.address.check(address, at)
    messageLimits.address.count(address, at)
    if (isSent) {
      messageLimits.destination.check(phone, at)
      messageLimits.destination.count(phone, at)
    }
    const code = isSent ? needs.newNumberCode() : null
    if (code !== null && sendMessage)
      needs.afterAnswer(async () => sendMessage(phone, await word(code), traceparent))
    const until = secondsAfter(at, proofLifetime)
    const claim = { purpose, phone, payer: payer || null, askedAt: at }
    const proof: Proof = { id: needs.newId(), ...claim, code, until }
    return needs.seal(JSON.stringify(proof))
  }

  const read = (sealed: string, purpose: ProofPurpose, at: Instant): Proof | undefined => {
    const text = needs.unseal(sealed)
    const proof = text === undefined ? undefined : (JSON.parse(text) as Partial<Proof>)
    const isOurs = proof?.purpose === purpose && at < (proof.until ?? 0)
    return isOurs ? (proof as Proof) : undefined
  }

  /**
   * The proved number; undefined for a wrong, expired or used code. A used sign-up code is
   * accepted, as its last step may be repeated. @throws Refusal sign_in_is_locked after a few wrong
   * codes
   */
  const check = async (
    sealed: string,
    purpose: ProofPurpose,
    code: string,
    at: Instant,
  ): Promise<(ProvedNumber & Pick<Proof, 'payer'>) | undefined> => {
    const proof = read(sealed, purpose, at)
    if (!proof) return undefined
    tries.check(proof.id, at)
    const isRight = proof.code !== null && needs.isSameText(withoutBlanks(code), proof.code)
    if (isRight) return purpose !== 'sign_up' && (await isUsed(proof, at)) ? undefined : proof
    tries.count(proof.id, at)
    return undefined
  }

  return {
    ask,
    check,
    use,
    isUsed,
    /** The number of the request, proved or not. */
    phoneOf: (sealed: string, purpose: ProofPurpose, at: Instant) =>
      read(sealed, purpose, at)?.phone,
  }
}

export type NumberProofs = ReturnType<typeof numberProofs>
