import { cpSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type Database from '../../infrastructure/sqlite.ts'
import { openFile, seal } from './altered-log.ts'
import { closeGaps, signAgain } from './sign-again.ts'

/** A number below `count`. */
export type Choose = (count: number) => number

/** Numbers that follow from a seed (mulberry32). */
export const seeded = (seed: number): Choose => {
  let state = seed
  return (count) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * count)
  }
}

type File = Database.Database

export type Alteration = {
  readonly name: string
  /** Found by a checkpoint that somebody has kept, and by nothing else. */
  readonly needsKept?: true
  /** Changes a log whose first events are covered by a checkpoint. */
  readonly alter: (folder: string, covered: number, choose: Choose) => void
}

/** What is derived from the log tells of it too, unless it is gone. */
const removeDerived = (folder: string): void => {
  rmSync(join(folder, 'read-models'), { recursive: true, force: true })
  for (const name of ['events.sqlite-head', 'checkpoint-signed.json'])
    rmSync(join(folder, name), { force: true })
}

const inFile = (folder: string, change: (file: File) => void): void => {
  const file = openFile(folder)
  try {
    file.transaction(() => change(file))()
  } finally {
    file.close()
  }
}

/** A printable character other than the one before. */
const otherCharacter = (before: number, choose: Choose): number => {
  const other = 0x20 + choose(0x5e)
  return other === before ? other + 1 : other
}

const changeByte = (column: 'data' | 'metadata' | 'id', isSealed: boolean): Alteration => ({
  name: `a byte of ${column}${isSealed ? ', with its checksum' : ''}`,
  alter: (folder, covered, choose) => {
    if (isSealed) removeDerived(folder)
    inFile(folder, (file) => {
      const position = 1 + choose(covered)
      const row = file.prepare(`SELECT CAST(${column} AS BLOB) FROM events WHERE position = ?`)
      const bytes = Buffer.from(row.pluck().get(position) as Buffer)
      const at = choose(bytes.length)
      const before = bytes[at] ?? 0
      bytes[at] = column === 'id' ? before ^ (1 << choose(8)) : otherCharacter(before, choose)
      const value = column === 'id' ? bytes : bytes.toString()
      file.prepare(`UPDATE events SET ${column} = ? WHERE position = ?`).run(value, position)
      if (isSealed) seal(file, position)
    })
  },
})

const drop = (isHidden: boolean): Alteration => ({
  name: `an event dropped${isHidden ? ', and all after it numbered anew' : ''}`,
  alter: (folder, covered, choose) => {
    if (isHidden) removeDerived(folder)
    inFile(folder, (file) => {
      file.prepare('DELETE FROM events WHERE position = ?').run(1 + choose(covered))
      if (isHidden) closeGaps(file)
    })
  },
})

const swap: Alteration = {
  name: 'two events swapped',
  alter: (folder, covered, choose) => {
    removeDerived(folder)
    inFile(folder, (file) => {
      const one = 1 + choose(covered)
      const other = 1 + ((one + choose(covered - 1)) % covered)
      const move = file.prepare('UPDATE events SET position = ? WHERE position = ?')
      move.run(-1, one)
      move.run(one, other)
      move.run(other, -1)
    })
  },
}

const cutStream = (isHidden: boolean): Alteration => ({
  name: `a stream cut${isHidden ? ', and all after it numbered anew' : ''}`,
  alter: (folder, covered, choose) => {
    if (isHidden) removeDerived(folder)
    inFile(folder, (file) => {
      const position = 1 + choose(covered)
      const last = file.prepare('SELECT max(position) FROM events').pluck().get() as number
      // Not the very end: that is another alteration.
      file
        .prepare(
          `DELETE FROM events WHERE position >= ? AND position < ? AND
           stream = (SELECT stream FROM events WHERE position = ?)`,
        )
        .run(position, last, position)
      if (isHidden) closeGaps(file)
    })
  },
})

const cutEnd: Alteration = {
  name: 'the end cut off',
  needsKept: true,
  alter: (folder, covered, choose) => {
    removeDerived(folder)
    inFile(folder, (file) => {
      file.prepare('DELETE FROM events WHERE position > ?').run(choose(covered))
    })
  },
}

const rewriteSuffix: Alteration = {
  name: 'an event changed, and all hashes and checkpoints after it made again with the real key',
  needsKept: true,
  alter: (folder, covered, choose) => {
    removeDerived(folder)
    inFile(folder, (file) => {
      const position = 1 + choose(covered)
      // A change that breaks no rule.
      const change = file.prepare(
        "UPDATE events SET metadata = json_set(metadata, '$.correlationId', ?) WHERE position = ?",
      )
      change.run(`other-${choose(2 ** 31)}`, position)
      seal(file, position)
      signAgain(folder, file)
    })
  },
}

/** A copy of the whole folder as it was earlier, with all that was derived then. */
const restoreBackup: Alteration = {
  name: 'an old backup restored',
  needsKept: true,
  alter: (folder, _, choose) => {
    const backups = readdirSync(join(folder, 'backups')).sort()
    const chosen = join(folder, 'backups', backups[choose(backups.length)] ?? '')
    removeDerived(folder)
    for (const part of ['', '-wal', '-shm'])
      rmSync(join(folder, `events.sqlite${part}`), { force: true })
    cpSync(chosen, folder, { recursive: true })
  },
}

/** What may be done to a log. */
export const alterations: readonly Alteration[] = [
  changeByte('data', false),
  changeByte('data', true),
  changeByte('metadata', false),
  changeByte('metadata', true),
  changeByte('id', false),
  changeByte('id', true),
  drop(false),
  drop(true),
  swap,
  cutStream(false),
  cutStream(true),
  cutEnd,
  restoreBackup,
  rewriteSuffix,
]
