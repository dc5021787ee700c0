import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Position } from '../../application/event-store.ts'
import type { Instant } from '../../domain/time.ts'
import { fingerprint } from '../../infrastructure/read-models/fingerprint.ts'
import type { AuditOptions, Audit } from './verify-log.ts'
import { sentenceOf } from './verdict-words.ts'

/** What was checked, and when by the machine's clock. */
type Checked = {
  readonly at: Instant
  readonly position: Position
  readonly events: number
  /** Base64. */
  readonly root: string
  /** Build whose rules decided the events again. */
  readonly build: string
}

export type LastAudit = Checked & {
  readonly holds: boolean
  /** The first problem, and the event that shows it, if any. */
  readonly problem: { readonly position: Position | null; readonly text: string } | null
  /** The last audit without problems; null if there is none. */
  readonly held: Checked | null
}

/** The last audit of a data directory, in a file beside the log. */
export const lastAuditIn = (directory: string) => {
  const file = join(directory, 'audit.json')

  /** Undefined before the first audit, or if the file cannot be read. */
  const read = (): LastAudit | undefined => {
    try {
      return JSON.parse(readFileSync(file, 'utf8')) as LastAudit
    } catch {
      return undefined
    }
  }

  return {
    read,
    write: (audit: Audit, at: Instant): LastAudit => {
      const { holds, events, root, lastPosition: position } = audit
      const checked = { at, position, events, root, build: fingerprint() }
      const [first] = audit.problems
      const problem = first ? { position: first.position, text: sentenceOf(first) } : null
      const held = holds ? checked : (read()?.held ?? null)
      const last = { ...checked, holds, problem, held }
      const draft = `${file}.draft`
      writeFileSync(draft, JSON.stringify(last), { mode: 0o600, flush: true })
      renameSync(draft, file)
      return last
    },
    /** Events verified under the same rules need no second decision while they are unchanged. */
    since: (): AuditOptions => {
      const held = read()?.held
      if (!held || held.build !== fingerprint()) return {}
      const { events: size, root } = held
      return { since: size, kept: [{ size, root, by: 'audit.json', isOwn: true }] }
    },
  }
}
