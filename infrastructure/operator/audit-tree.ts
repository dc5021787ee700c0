import { start, type RecordedEvent } from '../../application/event-store.ts'
import { entryOf, leafHash, type Entry } from '../event-store/event-entry.ts'
import { fail } from '../failures.ts'
import type { OpenedStore } from '../stores.ts'
import { consistencyProof, inclusionProof, rootOf } from '../transparency/merkle.ts'

/** What was appended as text, since the service writes JSON as JavaScript does. */
const entryOfEvent = ({ stream, revision, id, type, data, metadata }: RecordedEvent): Entry => ({
  stream,
  revision,
  id: id.replaceAll('-', ''),
  type,
  data: JSON.stringify(data),
  metadata: JSON.stringify(metadata),
})

async function* entriesIn({ log, readAll }: OpenedStore): AsyncGenerator<Entry> {
  if (!log) {
    for await (const batch of readAll(start)) yield* batch.map(entryOfEvent)
    return
  }
  for (const { row, problem } of log.examined()) {
    const [position, stream, revision, id, type, data, metadata] = row
    if (problem)
      fail(`event ${position}, revision ${revision} of ${stream}, is damaged: ${problem}`)
    yield { stream, revision, id, type, data, metadata }
  }
}

export type TreeOptions = {
  readonly size?: number
  readonly root?: string
  readonly index?: number
  readonly from?: number
}

const within = (name: string, given: number, most: number): number =>
  given <= most ? given : fail(`${name} ${given} is beyond the tree of ${most} events`)

const shown = (hashes: readonly Buffer[]): string[] => hashes.map((hash) => hash.toString('base64'))

/** The tree of a log, and proofs in it. @throws OperatorError when it has another root */
export const auditTree = async (store: OpenedStore, options: TreeOptions) => {
  const { index, from } = options
  const leaves: Buffer[] = []
  let entry: string | undefined
  for await (const one of entriesIn(store)) {
    if (leaves.length === index) entry = entryOf(one)
    leaves.push(Buffer.from(leafHash(one), 'base64'))
  }
  const size = within('size', options.size ?? leaves.length, leaves.length)
  const root = rootOf(leaves, 0, size).toString('base64')
  if (options.root !== undefined && options.root !== root)
    fail(`the first ${size} events have the root ${root}: this is not the log with that root`)
  if (index !== undefined) within('index', index + 1, size)
  if (from !== undefined) within('from', from, size)
  return {
    size,
    root,
    ...(index !== undefined && {
      index,
      entry,
      inclusion: shown(inclusionProof(leaves, index, size)),
    }),
    ...(from !== undefined && {
      from,
      from_root: rootOf(leaves, 0, from).toString('base64'),
      consistency: shown(consistencyProof(leaves, from, size)),
    }),
  }
}
