import { constants, setPriority } from 'node:os'
import { setTimeout as rest } from 'node:timers/promises'
import { parentPort, workerData, type MessagePort } from 'node:worker_threads'
import type { Position } from '../../application/event-store.ts'
import { openStoreToRead, type Place } from '../stores.ts'
import { auditParts, type AuditOptions } from './verify-log.ts'

export type AuditPart = keyof typeof auditParts

export type AuditStart = {
  readonly place: Place
  readonly parts: readonly AuditPart[]
  /** Where the log ended when the audit began. */
  readonly end: Position
  readonly options: AuditOptions
  /** Works a part of the time only, at the lowest priority. */
  readonly isSlow: boolean
}

type Result<Part extends AuditPart> = Awaited<ReturnType<(typeof auditParts)[Part]>>
export type AuditFound = { readonly [Part in AuditPart]?: Result<Part> }

export type AuditReply =
  | { readonly progress: readonly [stage: string, done: number, of: number] }
  | { readonly found: AuditFound }
  | { readonly problem: string }

/** How much longer than it works it rests. */
const restsFor = 9

/** Rests after each batch in proportion to the time that it took. */
const makePause = (): (() => Promise<void>) => {
  let began = performance.now()
  return async () => {
    await rest((performance.now() - began) * restsFor)
    began = performance.now()
  }
}

const run = async (port: MessagePort, given: AuditStart): Promise<void> => {
  const { place, parts, end, options, isSlow } = given
  // Only on Linux does this set the priority of this thread alone.
  if (isSlow && process.platform === 'linux') setPriority(constants.priority.PRIORITY_LOW)
  const send = (reply: AuditReply): void => port.postMessage(reply)
  const store = await openStoreToRead(place)
  try {
    const watching = {
      progress: (...progress: [string, number, number]) => send({ progress }),
      ...(isSlow && { pause: makePause() }),
    }
    const found: { -readonly [Part in AuditPart]?: unknown } = {}
    for (const part of parts)
      found[part] = await auditParts[part](store, place, end, options, watching)
    send({ found: found as AuditFound })
  } catch (error) {
    // Errors lose their class between threads.
    send({ problem: error instanceof Error ? error.message : String(error) })
  } finally {
    await store.close()
  }
}

if (parentPort) await run(parentPort, workerData as AuditStart)
