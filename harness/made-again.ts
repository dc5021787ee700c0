import { createPrivateKey } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { formatCheckpoint, parseCheckpoint } from '../domain/transparency/checkpoint.ts'
import { parseNote } from '../domain/transparency/signed-note.ts'
import { growingTree } from '../infrastructure/audit/growing-tree.ts'
import { leafHash } from '../infrastructure/event-store/event-entry.ts'
import type Database from '../infrastructure/sqlite.ts'
import { signNote } from '../infrastructure/transparency/note-signer.ts'
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
    let row = rows.get(position) as Stored
    if (row.type === 'CheckpointSigned') {
      const { size, note } = JSON.parse(row.data) as { size: number; note: string }
      const { origin = '' } = parseCheckpoint(parseNote(note)?.text ?? '') ?? {}
      const root = tree.rootAt(size) as Uint8Array
      const text = formatCheckpoint({ origin, size, root })
      const signed = signNote(text, origin, [createPrivateKey(pem)])
      const data = { size, root: Buffer.from(root).toString('base64'), note: signed }
      write.run(JSON.stringify(data), position)
      seal(file, position)
      row = rows.get(position) as Stored
    }
    tree.add(Buffer.from(leafHash(row), 'base64'))
  }
}
