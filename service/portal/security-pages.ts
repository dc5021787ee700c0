import { closeSync, existsSync, fstatSync, openSync, readSync } from 'node:fs'
import { securityLogFiles, type SecurityLine } from '../../infrastructure/logs/security-log.ts'
import { heldKeys, isHeld } from '../../domain/transparency/checkpoints.ts'
import type { Instant } from '../../domain/time.ts'
import type { Core } from '../core.ts'
import { idTokenKeys } from '../../infrastructure/people/id-tokens.ts'
import { wallClock } from '../../application/machine.ts'

type KeyState = 'signs' | 'comes' | 'published' | 'ended'

type KeyView = {
  readonly id: string
  readonly from: Instant
  readonly until: Instant | null
  readonly state: KeyState
}

/** For keys of which only one signs at a time: the newest that has started, or the oldest. */
const oneSigns = (
  keys: readonly { readonly id: string; readonly from: Instant }[],
  now: Instant,
): readonly KeyView[] => {
  const newest = keys.toSorted((one, other) => other.from - one.from)
  const signing = newest.find(({ from }) => from <= now) ?? newest.at(-1)
  const stateOf = (key: { readonly from: Instant }): KeyState => {
    if (key === signing) return 'signs'
    return key.from > now ? 'comes' : 'published'
  }
  return newest.map((key) => ({ ...key, until: null, state: stateOf(key) }))
}

/** All signing keys, by the machine's clock, as for signatures. */
export const keyViews = (core: Core) => async () => {
  await core.caughtUp()
  const now = wallClock()
  const { vault } = core
  const callbacks = core.callbacks.signingKeys
    .all()
    .map(({ data: { id, validFrom } }) => ({ id, from: validFrom }))
  const held = heldKeys(core.transparency.keys.all().map(({ data }) => data))
  const checkpoints = held.toReversed().map((key): KeyView => {
    const { id, from, until } = key
    return { id, from, until, state: isHeld(key, now) ? 'signs' : 'ended' }
  })
  return {
    callbacks: oneSigns(callbacks, now),
    checkpoints,
    'id-tokens': oneSigns(idTokenKeys(vault), now),
    vault: vault.wrappedBy(),
  }
}

/** Bytes read at once, and at most per page. */
const bytesAtOnce = 131_072

const mostBytes = 2_097_152

/** Where to continue: in the file of a day, before a byte offset. */
export type SecurityPlace = { readonly day: string; readonly before: number }

export type SecurityFilter = {
  readonly merchant: string | null
  readonly type: string | null
  /** As named in the log, or a kind of actor: `user:pos1`, `payer`. */
  readonly actor: string | null
}

type SecurityPage = {
  /** Newest first. */
  readonly lines: readonly SecurityLine[]
  /** Undefined at the beginning of the log. */
  readonly next: SecurityPlace | undefined
}

const lineIn = (text: string): SecurityLine | undefined => {
  try {
    return JSON.parse(text) as SecurityLine
  } catch {
    return undefined
  }
}

const isWanted =
  ({ merchant, type, actor }: SecurityFilter) =>
  (line: SecurityLine): boolean =>
    (merchant === null || line.merchant === merchant) &&
    (type === null || line.type === type) &&
    (actor === null || line.actor === actor || line.actor.startsWith(`${actor}:`))

type Found = { readonly at: number; readonly line: SecurityLine }

/** The complete lines that end before an offset, newest first, and the offset of the first one. */
const linesBefore = (file: string, before: number): { found: Found[]; begins: number } => {
  const handle = openSync(file, 'r')
  try {
    const end = Math.min(before, fstatSync(handle).size)
    const start = Math.max(0, end - bytesAtOnce)
    const bytes = Buffer.alloc(end - start)
    readSync(handle, bytes, 0, bytes.length, start)
    // The first line may be incomplete, unless the file was read from its beginning.
    const first = start === 0 ? 0 : bytes.indexOf(10) + 1
    const found: Found[] = []
    for (let from = first; from < bytes.length;) {
      const newline = bytes.indexOf(10, from)
      const to = newline < 0 ? bytes.length : newline
      const line = lineIn(bytes.toString('utf8', from, to))
      if (line) found.push({ at: start + from, line })
      from = to + 1
    }
    // A line longer than the buffer is skipped.
    const begins = first > 0 || start === 0 ? start + first : start
    return { found: found.toReversed(), begins }
  } finally {
    closeSync(handle)
  }
}

/**
 * A page of the security log of a directory, backwards from a place; has fewer lines if the scan
 * limit is reached.
 */
export const securityPage = (
  directory: string,
  filter: SecurityFilter,
  from: SecurityPlace | undefined,
  limit: number,
): SecurityPage => {
  const lines: SecurityLine[] = []
  if (!existsSync(directory)) return { lines, next: undefined }
  const isIt = isWanted(filter)
  let bytes = 0
  const files = securityLogFiles(directory).filter(({ day }) => !from || day <= from.day)
  for (const { day, file } of files.toReversed()) {
    let before = from?.day === day ? from.before : Number.MAX_SAFE_INTEGER
    while (before > 0) {
      if (bytes >= mostBytes) return { lines, next: { day, before } }
      bytes += bytesAtOnce
      const { found, begins } = linesBefore(file, before)
      for (const { at, line } of found) {
        if (isIt(line)) lines.push(line)
        if (lines.length === limit) return { lines, next: { day, before: at } }
      }
      before = begins
    }
  }
  return { lines, next: undefined }
}
