import { Agent, request, type ClientRequest, type IncomingMessage } from 'node:http'
import { Agent as SecureAgent, request as secureRequest } from 'node:https'
import type { LookupFunction } from 'node:net'
import type { SecureContext } from 'node:tls'
import { certificateProblem } from './certificate-problem.ts'
import { clearTimeout, setTimeout, wallClock } from '../../application/machine.ts'

const answerTimeoutMs = 10_000
const largestHead = 262_144
/** Maximum bytes of a body to read so that the connection can be reused. */
const largestBody = 131_072
/** Of a body that are kept. */
const bytesKept = 200
const beginningTimeoutMs = 250
/** Servers usually close idle connections after 5 seconds or more. */
const idleMs = 4000
/** The default of 250 ms is too short for distant receivers. */
const addressTimeoutMs = 2500

/** There was no valid response; the message is one line. */
class NoAnswer extends Error {
  override readonly name = 'NoAnswer'
}

const notAllowed = 'the answer is not one that HTTP allows'

/** OpenSSL's codes for an untrusted chain. */
const untrusted = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
])

type Failure = NodeJS.ErrnoException & { readonly library?: string; readonly reason?: string }

/** The cause of a failure, in one line. */
export const problemOf = (error: Failure): string => {
  const { message, name, code = '', library, reason } = error
  const line = message.replaceAll(/\s+/g, ' ').trim()
  if (error instanceof NoAnswer) return message
  if (name === 'AbortError') return `no answer within ${answerTimeoutMs / 1000} seconds`
  if (untrusted.has(code))
    return `${line.split(';')[0]}; CALLBACK_CA_FILE can name further certificate authorities`
  if (code === 'ECONNREFUSED') return 'nobody listens at this address: is the receiver running?'
  if (code.startsWith('HPE_')) return `${notAllowed}: ${line.replace(/^Parse Error: /, '')}`
  // A failed TLS handshake has its own message.
  if (code === 'ECONNRESET' && !line.includes('TLS'))
    return 'the connection was closed before an answer'
  // OpenSSL's messages contain source locations.
  const wrong = reason ?? /SSL routines:[^:]*:([^:]+)/.exec(line)?.[1] ?? library
  if (wrong !== undefined) return `no TLS connection: ${wrong}`
  // If several addresses refuse the connection, the error has no message.
  return line || code || name
}

/**
 * Tells the first bytes of a body, or what comes of them in a moment. Reads the rest, or closes the
 * connection if it is long.
 */
const read = (answer: IncomingMessage, onBegun: (beginning: string) => void): void => {
  const begun: Buffer[] = []
  let size = 0
  const end = (): void => {
    clearTimeout(timer)
    onBegun(Buffer.concat(begun).toString('utf8', 0, bytesKept))
  }
  const timer = setTimeout(end, beginningTimeoutMs).unref()
  answer.on('data', (chunk: Buffer) => {
    if (size < bytesKept) begun.push(chunk.subarray(0, bytesKept))
    size += chunk.length
    if (size >= bytesKept) end()
    if (size > largestBody) answer.destroy()
  })
  // The status has come, and it decides.
  answer.on('error', end)
  answer.on('end', end)
}

const longestRetryAfterMs = 86_400_000

/** In ms, at most a day (RFC 9110, 10.2.3: seconds or a date). */
const retryAfterIn = ({ headers }: IncomingMessage): number | undefined => {
  const text = headers['retry-after']?.trim() ?? ''
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - wallClock()
  return ms > 0 ? Math.min(Math.ceil(ms), longestRetryAfterMs) : undefined
}

export type PostAnswer = {
  readonly status: number
  readonly retryAfterMs: number | undefined
  /** The first bytes of the body. */
  readonly beginning: string
  /** Target of a redirect. */
  readonly location: string | undefined
}

const answerOf = (sent: ClientRequest, body: string): Promise<PostAnswer> =>
  new Promise((resolve, reject) => {
    sent.on('response', (answer) => {
      const { statusCode: status = 0 } = answer
      const { location } = answer.headers
      const retryAfterMs = retryAfterIn(answer)
      read(answer, (beginning) => {
        if (status >= 200) resolve({ status, retryAfterMs, beginning, location })
        else reject(new NoAnswer(notAllowed))
      })
    })
    sent.on('upgrade', (_, socket) => {
      socket.destroy()
      reject(new NoAnswer(notAllowed))
    })
    sent.on('error', reject)
    sent.end(body)
  })

type Needs = {
  readonly lookup: LookupFunction
  /** Undefined trusts Node's certificates. */
  readonly secureContext: SecureContext | undefined
}

/** POSTs over keep-alive connections and returns the response's head; decision 17 says how. */
export const makePost = ({ lookup, secureContext }: Needs) => {
  const options = {
    keepAlive: true,
    timeout: idleMs,
    lookup,
    autoSelectFamilyAttemptTimeout: addressTimeoutMs,
  }
  const plain = new Agent(options)
  const secure = new SecureAgent({ ...options, ...(secureContext && { secureContext }) })

  const begin = (url: URL, headers: Readonly<Record<string, string>>, signal: AbortSignal) => {
    const about = { method: 'POST', headers, signal, maxHeaderSize: largestHead }
    return url.protocol === 'https:'
      ? secureRequest(url, { ...about, agent: secure })
      : request(url, { ...about, agent: plain })
  }

  /**
   * Sends once, so that each attempt is recorded. If a kept connection was closed meanwhile, the
   * next attempt uses a new one. @throws NoAnswer
   */
  const post = async (
    uri: string,
    headers: Readonly<Record<string, string>>,
    body: string,
  ): Promise<PostAnswer> => {
    const length = String(Buffer.byteLength(body))
    const all = { ...headers, 'Content-Length': length, 'User-Agent': 'daybook' }
    const signal = AbortSignal.timeout(answerTimeoutMs)
    try {
      return await answerOf(begin(new URL(uri), all, signal), body)
    } catch (error) {
      const failure = error as Failure
      const wrong = await certificateProblem(failure, new URL(uri), lookup)
      throw new NoAnswer(wrong ?? problemOf(failure))
    }
  }

  const close = (): void => {
    plain.destroy()
    secure.destroy()
  }

  return { post, close }
}
