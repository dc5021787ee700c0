import { contentDigest, type PrivateKeys, type Signer } from '../keys/keys.ts'
import { jobThread, ThreadEnded } from '../threads/job-thread.ts'
import { TooLate, deadlineIn } from '../deadline.ts'
import type { begin } from './sending-job.ts'
import type { PostOptions, SignedPost, Unsigned } from './signed-post.ts'
import { formatDateTime } from '../../application/date-time.ts'
import { steadyTime } from '../../application/machine.ts'
import { startSpanWithin, type Traceparent } from '../../application/tracing.ts'

/** In megabytes. */
const resourceLimits = { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 16 }

/**
 * Signs and posts in a thread of low priority, so that neither competes with requests. If the
 * thread dies, its messages under way fail with ThreadEnded: their outcome is unknown, and the
 * receiver is not to blame.
 */
export const signedPostInWorker = (start: PostOptions): SignedPost => {
  /** Pairs that the thread has. */
  const pairs = new Map<PrivateKeys, number>()
  const forget = (): void => pairs.clear()
  const { ask, end } = jobThread<typeof begin>('infrastructure/callbacks/sending-job', {
    start,
    resourceLimits,
    yields: 'slightly',
    concurrent: Infinity,
    onEnd: forget,
  })
  return {
    post: async (message, keys) => {
      const known = pairs.get(keys)
      const keyPair = known ?? pairs.size
      pairs.set(keys, keyPair)
      try {
        const answer = await ask({ message, keyPair, ...(known === undefined && { keys }) })
        if (answer !== 'too late') return answer
      } catch (error) {
        // The thread may not have received them.
        forget()
        throw error
      }
      throw new TooLate()
    },
    close: () => {
      forget()
      end().catch(() => {})
    },
  }
}

type Needs = {
  readonly signer: Signer
  readonly names: {
    readonly timestamp: string
    readonly contentDigest: string
    readonly signedPrefix: string
    readonly json: string
  }
  readonly stringToSign: (
    method: string,
    url: string,
    headers: Iterable<readonly [string, string]>,
    signedPrefix: string,
  ) => string
  readonly machineNow: () => number
  /** Signs and posts, inline or in a worker thread. */
  readonly signedPost: Pick<SignedPost, 'post' | 'close'>
}

const hints: Readonly<Record<number, string>> = {
  401: 'the receiver asks for credentials: let callbacks in without, and check their signature',
  403: 'the receiver refuses them: look at its firewall and its check of signatures',
  404: 'there is nothing at this address: set another callback_uri',
  405: 'the receiver takes no POST at this address',
  410: 'the receiver wants no more of them',
  413: 'the receiver takes no message of this size',
  429: 'the receiver asks for fewer of them',
  503: 'the receiver is out of service',
}

/** The response, and what the receiver can do about it. */
export const problemOfStatus = (status: number, location: string | undefined): string => {
  const answer = `answered with status ${status}`
  if (status >= 300 && status < 400)
    return `${answer}: redirects are not followed, register ${location?.slice(0, 200) ?? 'another'}`
  const hint = hints[status] ?? (status >= 500 ? 'the receiver failed: look at its log' : undefined)
  return hint === undefined ? answer : `${answer}: ${hint}`
}

type Answered = Omit<SendResult, 'durationMs'>

export type SendResult = {
  readonly result: 'delivered' | 'failed' | 'gone'
  readonly httpStatus: number | null
  readonly problem: string | null
  readonly durationMs: number
  /** From `Retry-After`. */
  readonly retryAfterMs?: number
  /** The first bytes of the answer. */
  readonly beginning?: string
}

/**
 * The signing input, for our own signatures and for Standard Webhooks with each secret and the
 * service's key.
 */
const makeUnsigned =
  ({ names, machineNow, stringToSign }: Needs) =>
  (
    id: string,
    uri: string,
    body: string,
    secrets: readonly string[],
    leftMs: number,
    traceparent: Traceparent | undefined,
  ): Unsigned => {
    const at = machineNow()
    const seconds = Math.floor(at / 1000)
    const signed = {
      [names.timestamp]: formatDateTime(at),
      [names.contentDigest]: contentDigest(Buffer.from(body)),
    }
    const text = stringToSign('POST', uri, Object.entries(signed), names.signedPrefix)
    const headers = Object.assign(signed, {
      'Content-Type': names.json,
      'webhook-id': id,
      'webhook-timestamp': String(seconds),
      ...(traceparent !== undefined && { traceparent }),
    })
    const content = `${id}.${seconds}.${body}`
    const until = leftMs === Infinity ? undefined : deadlineIn(leftMs)
    return { uri, body, headers, text, content, secrets, until }
  }

/** An address's path may contain a token of the receiver, so only the host is told. */
const spanOf = (id: string, uri: string) => {
  const { hostname, port } = new URL(uri)
  return {
    name: `send ${hostname}`,
    kind: 'producer' as const,
    attributes: {
      'messaging.system': 'daybook',
      'messaging.operation.name': 'send',
      'messaging.operation.type': 'send',
      'messaging.destination.name': hostname,
      'messaging.message.id': id,
      'http.request.method': 'POST',
      'server.address': hostname,
      'server.port': port === '' ? undefined : Number(port),
    },
  }
}

/** Posts signed messages to merchants (interface 13). */
export const makeCallbackSender = (needs: Needs) => {
  const { signer, signedPost } = needs
  const unsigned = makeUnsigned(needs)

  const attempt = async (
    id: string,
    uri: string,
    body: string,
    secrets: readonly string[],
    leftMs: () => number,
    traceparent: Traceparent | undefined,
  ): Promise<Answered> => {
    try {
      const message = unsigned(id, uri, body, secrets, leftMs(), traceparent)
      const answer = await signedPost.post(message, signer.keys)
      const { status: httpStatus, beginning } = answer
      if (httpStatus >= 200 && httpStatus < 300)
        return { result: 'delivered', httpStatus, problem: null, beginning }
      return {
        beginning,
        result: httpStatus === 410 ? 'gone' : 'failed',
        httpStatus,
        problem: problemOfStatus(httpStatus, answer.location),
        ...(answer.retryAfterMs !== undefined && { retryAfterMs: answer.retryAfterMs }),
      }
    } catch (error) {
      if (error instanceof ThreadEnded || error instanceof TooLate) throw error
      const problem = error instanceof Error ? error.message : String(error)
      return { result: 'failed', httpStatus: null, problem }
    }
  }

  const send = async (
    id: string,
    uri: string,
    body: string,
    secrets: readonly string[] = [],
    /** How much longer it may be sent, in ms. */
    leftMs = (): number => Infinity,
    /** Of what it tells. */
    traceparent?: Traceparent,
  ): Promise<SendResult> => {
    const startedAt = steadyTime()
    const span = startSpanWithin(traceparent, () => spanOf(id, uri))
    try {
      const trace = span?.traceparent ?? traceparent
      const answered = await attempt(id, uri, body, secrets, leftMs, trace)
      const { httpStatus, result } = answered
      const failure = result === 'delivered' ? undefined : String(httpStatus ?? 'no_answer')
      span?.end({ 'http.response.status_code': httpStatus ?? undefined }, failure)
      return { ...answered, durationMs: Math.round(steadyTime() - startedAt) }
    } catch (error) {
      span?.end({}, error instanceof Error ? error.name : 'unknown')
      throw error
    }
  }

  return { send, close: signedPost.close }
}
