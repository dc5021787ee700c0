import { isIP } from 'node:net'
import { Agent, request } from 'undici'
import { formatDateTime } from '../../application/date-time.ts'
import { contentDigest, type Signer } from '../keys.ts'
import { isPublic, PrivateAddress, resolvePublic, type Resolve } from './addresses.ts'
import { lookupWith } from './name-resolution.ts'

const answerTimeoutMs = 10_000

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
}

type SendResult = {
  readonly result: 'delivered' | 'failed' | 'gone'
  readonly httpStatus: number | null
  readonly problem: string | null
}

/** Why nothing has arrived, in one line. */
const problemOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  if (error.name === 'TimeoutError') return `no answer within ${answerTimeoutMs / 1000} seconds`
  const { message, name, code, library, reason } = (
    error.cause instanceof Error ? error.cause : error
  ) as NodeJS.ErrnoException & { library?: string; reason?: string }
  // The client asserts some of what it expects of an answer.
  if (code === 'ERR_ASSERTION') return 'the answer is not one that HTTP allows'
  // The message of OpenSSL's errors tells where in its source they were found.
  if (library !== undefined) return `no TLS connection: ${reason ?? library}`
  // Several addresses that all refuse make an error without a message.
  return message.replaceAll(/\s+/g, ' ').trim() || (code ?? name)
}

/** Posts messages to merchants, signed (decisions 13). */
export const makeCallbackSender = (needs: Needs) => {
  const { signer, names, machineNow, resolve, arePrivateAddressesAllowed } = needs
  const agent = new Agent({
    connect: { lookup: lookupWith(arePrivateAddressesAllowed ? resolve : resolvePublic(resolve)) },
  })

  const headersFor = async (id: string, uri: string, body: string) => {
    const at = machineNow()
    const seconds = Math.floor(at / 1000)
    const signed = {
      [names.timestamp]: formatDateTime(at),
      [names.contentDigest]: contentDigest(Buffer.from(body)),
    }
    const text = needs.stringToSign('POST', uri, Object.entries(signed), names.signedPrefix)
    return {
      ...signed,
      authorization: `RSA-SHA256 ${await signer.signRsa(text)}`,
      'content-type': names.json,
      'webhook-id': id,
      'webhook-timestamp': String(seconds),
      'webhook-signature': `v1a,${signer.signEd25519(`${id}.${seconds}.${body}`)}`,
    }
  }

  const checkLiteral = (uri: string): void => {
    const host = new URL(uri).hostname.replace(/^\[|\]$/g, '')
    // A name is checked when it is resolved; an address is never resolved.
    if (!arePrivateAddressesAllowed && isIP(host) !== 0 && !isPublic(host))
      throw new PrivateAddress(host)
  }

  const send = async (id: string, uri: string, body: string): Promise<SendResult> => {
    try {
      checkLiteral(uri)
      const response = await request(uri, {
        method: 'POST',
        headers: await headersFor(id, uri, body),
        body,
        dispatcher: agent,
        signal: AbortSignal.timeout(answerTimeoutMs),
      })
      const { statusCode: httpStatus } = response
      await response.body.dump().catch(() => {})
      if (httpStatus >= 200 && httpStatus < 300)
        return { result: 'delivered', httpStatus, problem: null }
      return {
        result: httpStatus === 410 ? 'gone' : 'failed',
        httpStatus,
        problem: `answered with status ${httpStatus}`,
      }
    } catch (error) {
      return { result: 'failed', httpStatus: null, problem: problemOf(error) }
    }
  }

  return { send, close: () => agent.destroy() }
}
