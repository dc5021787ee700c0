import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Position } from '../../application/event-store.ts'
import { freshReadModels } from '../verify/fresh-read-models.ts'
import type { Progress } from '../verify/problems.ts'
import { fingerprint } from '../../infrastructure/read-models/fingerprint.ts'
import { openReadModelsToRead } from '../../infrastructure/read-models/read-model-file.ts'
import { openStoreToRead } from '../../infrastructure/stores.ts'
import { compareFiles, type FilesCompared } from './compare-files.ts'
import { foldWithBuild, programIn, type Where } from './other-build.ts'

export type BuildReplayed = {
  /** The log's end when the replay began. */
  readonly position: Position
  readonly here: { readonly madeBy: string }
  readonly there: { readonly build: string; readonly madeBy: string | null }
} & (
  | FilesCompared
  /** Why the other build could not fold this log. */
  | { readonly problem: string }
)

/** Folds a log with this build and with another one, and compares all read models. */
export const replayWithBuild = async (
  place: Where,
  folder: string,
  most: number,
  progress: Progress,
): Promise<BuildReplayed> => {
  const program = programIn(folder)
  const scratch = mkdtempSync(join(tmpdir(), 'daybook-replay-'))
  const store = await openStoreToRead(place)
  const fresh = freshReadModels(store)
  const ended = new AbortController()
  try {
    const position = await store.head()
    const out = join(scratch, 'there.sqlite')
    const [other] = await Promise.all([
      foldWithBuild(program, place, position, out, ended.signal),
      fresh.foldTo(position, (folded) => progress('folding with this build', folded, position)),
    ])
    const here = { madeBy: fingerprint() }
    if ('problem' in other) {
      const there = { build: folder, madeBy: null }
      return { position, here, there, problem: other.problem }
    }
    const file = openReadModelsToRead(out)
    try {
      const there = { build: folder, madeBy: other.madeBy }
      return { position, here, there, ...compareFiles(fresh.file, file, most) }
    } finally {
      file.sqlite.close()
    }
  } finally {
    ended.abort()
    fresh.discard()
    await store.close()
    rmSync(scratch, { recursive: true, force: true })
  }
}
