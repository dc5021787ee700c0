import type { SignedPost, Unsigned } from '../infrastructure/callbacks/signed-post.ts'
import type { FundingSource, Movement } from '../application/funding.ts'
import { setTimeout } from '../application/machine.ts'
import { randomFrom } from './random.ts'

/** What a receiver of callbacks does with a message. */
const behaviours = ['takes', 'fails', 'is silent', 'takes, answer lost', 'busy'] as const

export type Attempt = {
  readonly uri: string
  readonly id: string
  readonly body: string
  readonly isTaken: boolean
}

const silenceMs = 10_000

/** Receivers of callbacks; how often they fail is drawn for each world. */
export const simulatedReceivers = (seed: number, note: (attempt: Attempt) => void) => {
  const random = randomFrom(seed, 2)
  let failing = 0
  const post: SignedPost['post'] = async ({ uri, body, headers }: Unsigned) => {
    const isFault = random() < failing
    const behaviour = isFault ? behaviours[1 + Math.floor(random() * 4)] : 'takes'
    const isTaken = behaviour === 'takes' || behaviour === 'takes, answer lost'
    note({ uri, id: headers['webhook-id'] ?? '', body, isTaken })
    if (behaviour === 'is silent' || behaviour === 'takes, answer lost') {
      await new Promise<void>((resolve) => void setTimeout(resolve, silenceMs))
      throw new Error('no answer within 10 seconds')
    }
    const status = behaviour === 'takes' ? 200 : behaviour === 'busy' ? 503 : 500
    return {
      status,
      retryAfterMs: status === 503 ? 5_000 : undefined,
      beginning: '',
      location: undefined,
    }
  }
  return {
    signedPost: { post, close: () => {} } satisfies SignedPost,
    /** The share of messages that meet a fault. */
    fail: (share: number): void => void (failing = share),
  }
}

/** The status codes 5007 and 5008 (interface 5), as this bank answers amounts of these units. */
export const refusedUnits = [5007, 5008] as const

/** A bank that holds payers' money and keeps a book of what has moved. */
export const simulatedBank = (seed: number) => {
  const random = randomFrom(seed, 3)
  const book = new Map<string, Movement & { readonly kind: string }>()
  let failing = 0
  const move = (kind: string) => async (movement: Movement) => {
    if (random() < failing) throw new Error('the bank does not answer')
    book.set(movement.id, { ...movement, kind })
  }
  const funding: FundingSource = {
    approve: async ({ amount }) => refusedUnits.find((units) => amount === units * 100) ?? null,
    cancel: async () => {},
    movements: { capture: move('capture'), release: move('release'), refund: move('refund') },
  }
  return {
    funding,
    fail: (share: number): void => void (failing = share),
    /** The sum of what moved for a payment, in minor units. */
    moved: (tid: string, kind: string): number =>
      [...book.values()]
        .filter((one) => one.payment === tid && one.kind === kind)
        .reduce((sum, { amount }) => sum + amount, 0),
  }
}
