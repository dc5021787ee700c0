import { Agent, request } from 'node:http'
import { Agent as SecureAgent, request as secureRequest } from 'node:https'
import type { LookupFunction } from 'node:net'
import type { SecureContext, TLSSocket } from 'node:tls'
import { text } from 'node:stream/consumers'
import { failureOf } from '../../infrastructure/failures.ts'
import type { Settings } from '../../infrastructure/settings.ts'
import { certificateProblem } from '../../infrastructure/callbacks/certificate-problem.ts'
import { lookupWith, makeResolve } from '../../infrastructure/callbacks/name-resolution.ts'
import { problemOf } from '../../infrastructure/callbacks/post.ts'
import { doctorAgent } from '../../service/metrics/metrics.ts'

export type Finding = {
  readonly state: 'ok' | 'warning' | 'fault'
  readonly found: string
  /** What to do; absent if all is well. */
  readonly advice?: string
}

export const ok = (found: string): Finding => ({ state: 'ok', found })

export const warning = (found: string, advice: string): Finding => ({
  state: 'warning',
  found,
  advice,
})

export const fault = (found: string, advice: string): Finding => ({
  state: 'fault',
  found,
  advice,
})

/** The worst of several, with all that is wrong; `well` if nothing is. */
export const worst = (all: readonly (Finding | false | undefined)[], well: string): Finding => {
  const problems = all.flatMap((one) => (one && one.state !== 'ok' ? one : []))
  const [first] = problems
  if (!first) return ok(well)
  const state = problems.some((one) => one.state === 'fault') ? 'fault' : first.state
  const join = (texts: readonly string[]) => [...new Set(texts)].join('; ')
  return {
    state,
    found: join(problems.map(({ found }) => found)),
    advice: join(problems.flatMap(({ advice }) => advice ?? [])),
  }
}

/** What a check finds; one that fails is a fault with the reason. */
export const finding = async (
  settings: Settings,
  check: () => Promise<Finding> | Finding,
): Promise<Finding> => {
  try {
    return await check()
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    const text = failureOf(error, settings)?.text ?? message
    return fault(text.replaceAll(/\s+/g, ' '), 'repair this, and run daybook doctor again')
  }
}

/** Times are in ms since 1970. */
export type Answer = {
  readonly status: number
  readonly body: string
  readonly date: number | undefined
  readonly begun: number
  readonly ended: number
  /** When its certificate ends; undefined without TLS. */
  readonly validTo: number | undefined
}

type Trust = {
  readonly lookup?: LookupFunction
  readonly secureContext?: SecureContext | undefined
}

const patienceMs = 10_000

/** Why a request had no answer, without advice for receivers of callbacks. */
export class Unreachable extends Error {
  override readonly name = 'Unreachable'
}

/** Sends one request on a connection of its own. @throws Unreachable */
export const ask = async (
  address: string,
  method: 'GET' | 'HEAD' = 'GET',
  { lookup = lookupWith(makeResolve()), secureContext }: Trust = {},
): Promise<Answer> => {
  const url = new URL(address)
  const isSecure = url.protocol === 'https:'
  const agent = isSecure
    ? new SecureAgent({ lookup, ...(secureContext && { secureContext }) })
    : new Agent({ lookup })
  const about = {
    method,
    agent,
    signal: AbortSignal.timeout(patienceMs),
    headers: { 'User-Agent': doctorAgent },
  }
  const begun = Date.now()
  try {
    return await new Promise<Answer>((resolve, reject) => {
      const sent = (isSecure ? secureRequest : request)(url, about, (answer) => {
        const ended = Date.now()
        const certificate = isSecure && (answer.socket as TLSSocket).getPeerCertificate().valid_to
        const validTo = certificate ? Date.parse(certificate) : undefined
        const date = Date.parse(answer.headers.date ?? '')
        const head = { status: answer.statusCode ?? 0, begun, ended, validTo }
        text(answer).then(
          (body) => resolve({ ...head, body, date: Number.isNaN(date) ? undefined : date }),
          reject,
        )
      })
      sent.on('error', reject).end()
    })
  } catch (error) {
    const failure = error as Error
    const wrong = (await certificateProblem(failure, url, lookup)) ?? problemOf(failure)
    const why = wrong.replace(/(?:; CALLBACK_CA_FILE|: is the receiver).*/, '')
    throw new Unreachable(`${url.origin}: ${why}`)
  } finally {
    agent.destroy()
  }
}
