import { isIP } from 'node:net'
import type { SecureContext } from 'node:tls'
import { formatDateTime } from '../../application/date-time.ts'
import { contentDigest, type Signer } from '../keys.ts'
import { isPublic, PrivateAddress, resolvePublic, type Resolve } from './addresses.ts'
import { hmacOf } from './merchant-secrets.ts'
import { lookupWith } from './name-resolution.ts'
import { makePost } from './post.ts'

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
  readonly resolve: Resolve
  readonly arePrivateAddressesAllowed: boolean
  /** Undefined trusts what Node trusts. */
  readonly secureContext: SecureContext | undefined
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

/** What was answered, and what can be done. */
const problemOfStatus = (status: number, location: string | undefined): string => {
  const told = `answered with status ${status}`
  if (status >= 300 && status < 400)
    return `${told}: redirects are not followed, register ${location?.slice(0, 200) ?? 'another'}`
  const hint = hints[status] ?? (status >= 500 ? 'the receiver failed: look at its log' : undefined)
  return hint === undefined ? told : `${told}: ${hint}`
}

type Answered = Omit<SendResult, 'durationMs'>

export type SendResult = {
  readonly result: 'delivered' | 'failed' | 'gone'
  readonly httpStatus: number | null
  readonly problem: string | null
  readonly durationMs: number
  /** What its `Retry-After` asked for. */
  readonly retryAfterMs?: number
}

/** As requests, and as Standard Webhooks with each secret and the key of the service. */
const makeHeaders =
  ({ signer, names, machineNow, stringToSign }: Needs) =>
  async (id: string, uri: string, body: string, secrets: readonly string[]) => {
    const at = machineNow()
    const seconds = Math.floor(at / 1000)
    const signed = {
      [names.timestamp]: formatDateTime(at),
      [names.contentDigest]: contentDigest(Buffer.from(body)),
    }
    const text = stringToSign('POST', uri, Object.entries(signed), names.signedPrefix)
    const content = `${id}.${seconds}.${body}`
    const signatures = [
      ...secrets.map((secret) => `v1,${hmacOf(secret, content)}`),
      `v1a,${signer.signEd25519(content)}`,
    ]
    return {
      ...signed,
      Authorization: `RSA-SHA256 ${await signer.signRsa(text)}`,
      'Content-Type': names.json,
      'webhook-id': id,
      'webhook-timestamp': String(seconds),
      'webhook-signature': signatures.join(' '),
    }
  }

/** Posts signed messages to merchants (interface 13). */
export const makeCallbackSender = (needs: Needs) => {
  const { resolve, arePrivateAddressesAllowed } = needs
  const headersFor = makeHeaders(needs)
  const { post, close } = makePost({
    lookup: lookupWith(arePrivateAddressesAllowed ? resolve : resolvePublic(resolve)),
    secureContext: needs.secureContext,
  })

  const checkLiteral = (uri: string): void => {
    const host = new URL(uri).hostname.replace(/^\[|\]$/g, '')
    // Names are checked when they are resolved; literal addresses are not resolved.
    if (!arePrivateAddressesAllowed && isIP(host) !== 0 && !isPublic(host))
      throw new PrivateAddress(host)
  }

  const attempt = async (
    id: string,
    uri: string,
    body: string,
    secrets: readonly string[] = [],
  ): Promise<Answered> => {
    try {
      checkLiteral(uri)
      const { status: httpStatus, ...answer } = await post(
        uri,
        await headersFor(id, uri, body, secrets),
        body,
      )
      if (httpStatus >= 200 && httpStatus < 300)
        return { result: 'delivered', httpStatus, problem: null }
      return {
        result: httpStatus === 410 ? 'gone' : 'failed',
        httpStatus,
        problem: problemOfStatus(httpStatus, answer.location),
        ...(answer.retryAfterMs !== undefined && { retryAfterMs: answer.retryAfterMs }),
      }
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error)
      return { result: 'failed', httpStatus: null, problem }
    }
  }

  const send = async (...given: Parameters<typeof attempt>): Promise<SendResult> => {
    const startedAt = performance.now()
    const answered = await attempt(...given)
    return { ...answered, durationMs: Math.round(performance.now() - startedAt) }
  }

  return { send, close }
}
