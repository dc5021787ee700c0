import { createPrivateKey, type KeyObject } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { formatCheckpoint, parseCheckpoint } from '../../domain/transparency/checkpoints.ts'
import { parseNote } from '../../domain/transparency/signed-note.ts'
import { growingTree } from '../../audit/transparency/audit-tree.ts'
import { leafHash } from '../../infrastructure/event-store/event-entry.ts'
import type Database from '../../infrastructure/sqlite.ts'
import { signNote } from '../../audit/transparency/ask-witnesses.ts'
import { seal } from './altered-log.ts'

type File = Database.Database

/** Gives the events after a position the numbers that they would have without it. */
export const closeGaps = (file: File): void => {
  const rows = file
    .prepare<[], { position: number; stream: number; revision: number }>(
      'SELECT position, stream, revision FROM events ORDER BY position',
    )
    .all()
  const revisions = new Map<number, number>()
  const move = file.prepare('UPDATE events SET position = ?, revision = ? WHERE position = ?')
  for (const [index, { position, stream, revision: before }] of rows.entries()) {
    const revision = (revisions.get(stream) ?? -1) + 1
    revisions.set(stream, revision)
    if (position === index + 1 && revision === before) continue
    move.run(index + 1, revision, position)
    seal(file, index + 1)
  }
}

type Stored = {
  readonly position: number
  readonly stream: string
  readonly revision: number
  readonly id: string
  readonly type: string
  readonly data: string
  readonly metadata: string
}

const base64 = (hash: Uint8Array | undefined): string => Buffer.from(hash ?? []).toString('base64')

/** What an event says that names roots of the log, for the log as it is now. */
const dataAgain = (
  { type, data: text }: Stored,
  tree: ReturnType<typeof growingTree>,
  key: KeyObject,
): object | undefined => {
  const data = JSON.parse(text) as {
    readonly size: number
    readonly note: string
    readonly logRange?: { readonly to: number }
  }
  const { logRange } = data
  if (logRange)
    return { ...data, logRange: { ...logRange, root: base64(tree.rootAt(logRange.to)) } }
  if (type !== 'CheckpointSigned') return undefined
  const { size, note } = data
  const { origin = '' } = parseCheckpoint(parseNote(note)?.text ?? '') ?? {}
  const root = tree.rootAt(size) as Uint8Array
  const signed = signNote(formatCheckpoint({ origin, size, root }), origin, [key])
  return { ...data, root: base64(root), note: signed }
}

/** Signs all checkpoints anew, so that they fit the log as it is now. */
export const signAgain = (folder: string, file: File): void => {
  const pem = readFileSync(join(folder, 'checkpoint-ed25519.pem'))
  const rows = file.prepare<[number], Stored>(
    `SELECT position, name AS stream, revision, lower(hex(events.id)) AS id, type, data, metadata
     FROM events JOIN streams ON streams.id = events.stream WHERE position = ?`,
  )
  const write = file.prepare('UPDATE events SET data = ? WHERE position = ?')
  const last = file.prepare('SELECT max(position) FROM events').pluck().get() as number
  const tree = growingTree()
  for (let position = 1; position <= last; position += 1) {
    const before = rows.get(position) as Stored
    const data = dataAgain(before, tree, createPrivateKey(pem))
    if (data) {
      write.run(JSON.stringify(data), position)
      seal(file, position)
    }
    tree.add(Buffer.from(leafHash(rows.get(position) as Stored), 'base64'))
  }
}
