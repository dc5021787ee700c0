import type { Position } from '../../application/event-store.ts'
import { openStoreToRead, type Place } from '../../infrastructure/stores.ts'
import type { Pause, Progress } from './problems.ts'
import { auditParts, type AuditOptions } from './verify-log.ts'
import { pause as rest, steadyTime } from '../../application/machine.ts'

export type AuditPart = keyof typeof auditParts

/** The parameters of an audit; can be sent to another thread. */
export type AuditStart = {
  readonly place: Place
  readonly parts: readonly AuditPart[]
  /** The log's end when the audit began. */
  readonly end: Position
  readonly options: AuditOptions
  /** Works only part of the time, at the lowest priority. */
  readonly isSlow: boolean
}

type Result<Part extends AuditPart> = Awaited<ReturnType<(typeof auditParts)[Part]>>
export type AuditFound = { readonly [Part in AuditPart]?: Result<Part> }

/** Ratio of pause to work in a slow audit. */
const restsFor = 9

/** Pauses after each batch in proportion to its duration. */
const makePause = (): Pause => {
  let began = steadyTime()
  return async () => {
    await rest((steadyTime() - began) * restsFor)
    began = steadyTime()
  }
}

/** Performs parts of an audit, one after the other. */
export const performAudit = async (
  { place, parts, end, options, isSlow }: AuditStart,
  progress: Progress,
): Promise<AuditFound> => {
  const store = await openStoreToRead(place)
  const watching = { progress, ...(isSlow && { pause: makePause() }) }
  try {
    const found: { -readonly [Part in AuditPart]?: unknown } = {}
    for (const part of parts)
      found[part] = await auditParts[part](store, place, end, options, watching)
    return found as AuditFound
  } finally {
    await store.close()
  }
}

export const begin = () => performAudit
