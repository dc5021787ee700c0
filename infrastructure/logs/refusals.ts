import type { Outage } from '../../application/event-store.ts'
import type { RefusedDecision } from '../../domain/refusal.ts'
import { dayOf } from '../../domain/time.ts'
import { limitedCounts } from '../../application/concurrency-limit.ts'
import type { RefusalLine } from '../../application/refused-request.ts'
import { dailyFiles, makeDailyFile } from './daily-file.ts'
import { seal } from '../people/sealing.ts'
import { statSync } from 'node:fs'
import { clearInterval, setInterval } from '../../application/machine.ts'

/**
 * Maximum bytes per day, in total and per merchant: a flood from one leaves room for the others.
 */
const mostBytes = 16_777_216

const mostBytesOfOne = 2_097_152

/** Maximum number of buffered lines, in total and per merchant. */
const mostWaiting = 100

const mostWaitingOfOne = 50

const sizeOf = (file: string | undefined): number =>
  file === undefined ? 0 : (statSync(file, { throwIfNoEntry: false })?.size ?? 0)

const inAll = 'in all'

/** A limit of all together, and one of each. */
const shared = (most: number, mostOfOne: number) =>
  limitedCounts((key) => (key === inAll ? most : mostOfOne))

/** Size limits per daily file, which processes share, by whose refusals they are. */
const limitRefusals = (directory: string, name: string, today: () => string) => {
  let day = ''
  const bytes = shared(mostBytes, mostBytesOfOne)
  const waiting = shared(mostWaiting, mostWaitingOfOne)

  const begin = (now: string): void => {
    day = now
    bytes.clear()
    const { file } = dailyFiles(directory, name).find((one) => one.day === now) ?? {}
    bytes.take(inAll, Math.min(mostBytes, sizeOf(file)))
  }

  return {
    mayWait: (who: string): boolean => waiting.take([inAll, who]),
    /** Call after the buffer is written. */
    written: waiting.clear,
    mayWrite: (who: string, more: number): boolean => {
      const now = today()
      if (now !== day) begin(now)
      return bytes.take([inAll, who], more)
    },
  }
}

/** Possibly personal data. */
export type SealedPart = {
  readonly command?: object | undefined
  readonly asked?: RefusedDecision['asked']
  readonly target?: string | undefined
  /** The text that should have been signed, if the signature was missing or wrong. */
  readonly toSign?: string | undefined
}

export type AnsweredRequest = {
  readonly requestId: string
  readonly method: string
  readonly path: string
  readonly status: number
  readonly refused?:
    | {
        readonly reason: string | undefined
        readonly decision?: RefusedDecision | undefined
        readonly merchant?: string | undefined
        readonly user?: string | undefined
        readonly integrator?: string | undefined
        readonly target?: string | undefined
        readonly toSign?: string | undefined
        /** If false, merchant and user are only claimed by the request. */
        readonly hasAuthenticated?: boolean | undefined
      }
    | undefined
}

const refusalsName = 'refusals'

const refusalsKeptDays = 90

export const refusalFiles = (directory: string) => dailyFiles(directory, refusalsName)

/** Maximum length of the sealed part; a longer command is not kept. */
const longestSealed = 4_096

const longestText = 200

const longestToSign = 2_000

/** Batched, so that a flood of refusals costs other requests little. */
const writeEveryMs = 250

type Needs = {
  readonly directory: string
  /** The revision of a stream as far as this process knows. */
  readonly revisionOf: (stream: string) => number | undefined
  readonly now: () => number
  readonly machineNow: () => number
  readonly use: Outage
}

type Refused = NonNullable<AnsweredRequest['refused']>

const actorOf = ({ decision, user, integrator }: Refused): string => {
  if (decision?.context) return decision.context.actor
  if (integrator !== undefined) return `integrator:${integrator}`
  if (user !== undefined) return `user:${user}`
  const payer = decision && 'payer' in decision.command && decision.command.payer
  return typeof payer === 'string' ? `payer:${payer}` : 'payer'
}

const placeOf = (
  { decision }: Refused,
  revisionOf: Needs['revisionOf'],
): Pick<RefusalLine, 'stream' | 'revision'> => {
  if (!decision) return {}
  const { stream, revision = revisionOf(stream) ?? -1 } = decision
  return { stream, revision }
}

/** Unauthenticated callers do not use up the limit of the merchant they claim. */
const sharerOf = ({ hasAuthenticated, merchant, decision }: Refused): string => {
  if (hasAuthenticated) return `of ${merchant}`
  return decision ? 'payers' : 'unauthenticated'
}

type Waiting = {
  readonly who: string
  readonly line: Omit<RefusalLine, 'sealed'>
  readonly part: SealedPart
}

const lineOf = (
  { requestId, method, path, status }: AnsweredRequest,
  refused: Refused,
  { now, machineNow, revisionOf }: Needs,
): Waiting['line'] => {
  const { decision, reason = 'unknown' } = refused
  const isMoved = Math.abs(now() - machineNow()) > 1000
  return {
    at: new Date(decision?.context?.at ?? now()).toISOString(),
    ...(isMoved && { machine_at: new Date(machineNow()).toISOString() }),
    request: requestId,
    merchant: decision?.context?.merchant ?? refused.merchant ?? null,
    actor: actorOf(refused),
    status,
    method,
    path,
    rule: reason.slice(0, longestText),
    ...placeOf(refused, revisionOf),
  }
}

const encoded = ({ line, part }: Waiting, key: Buffer | undefined): string => {
  const text = JSON.stringify(part)
  const sealed = key && text.length <= longestSealed ? seal(key, text) : undefined
  return `${JSON.stringify({ ...line, sealed })}\n`
}

/**
 * Refusals, separate from the event log: a JSON Lines file per day, kept for 90 days (interface
 * 14.2). No request waits for it.
 */
export const openRefusals = (needs: Needs) => {
  const { now, machineNow, directory } = needs
  const write = makeDailyFile({ ...needs, name: refusalsName, keptDays: refusalsKeptDays })
  const limits = limitRefusals(directory, refusalsName, () => dayOf(machineNow()))
  let waiting: Waiting[] = []
  let more = 0
  let key: Buffer | undefined

  const flush = (): void => {
    const lines: string[] = []
    for (const one of waiting) {
      const text = encoded(one, key)
      if (limits.mayWrite(one.who, text.length)) lines.push(text)
      else more += 1
    }
    waiting = []
    limits.written()
    if (more > 0 && limits.mayWrite('more', 60))
      lines.push(`${JSON.stringify({ at: new Date(now()).toISOString(), more })}\n`)
    more = 0
    if (lines.length > 0) write(lines.join(''))
  }

  const add = (answered: AnsweredRequest, refused: Refused): void => {
    const who = sharerOf(refused)
    if (!limits.mayWait(who)) return void (more += 1)
    const { command, asked } = refused.decision ?? {}
    const part = {
      command,
      asked,
      target: refused.target?.slice(0, longestText),
      toSign: refused.toSign?.slice(0, longestToSign),
    }
    waiting.push({ who, line: lineOf(answered, refused, needs), part })
  }

  const timer = setInterval(flush, writeEveryMs).unref()
  return {
    /** Call with every response; only refusals are recorded. */
    onAnswered: (answered: AnsweredRequest): void => {
      const { status, refused } = answered
      if (!refused || status < 400 || status >= 500) return
      if (refused.decision || refused.merchant !== undefined) add(answered, refused)
    },
    /** Sets the sealing secret from the vault, which is opened after the log. */
    sealWith: (secret: Buffer): void => void (key = secret),
    flush,
    close: (): void => {
      clearInterval(timer)
      flush()
    },
  }
}
