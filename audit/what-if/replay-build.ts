import { mkdtempSync, rmSync, existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { Position } from '../../application/event-store.ts'
import { freshReadModels } from '../verify/report-difference.ts'
import type { Progress } from '../verify/problems.ts'
import { fingerprint } from '../../infrastructure/read-models/fingerprint.ts'
import { openReadModelsToRead } from '../../infrastructure/read-models/read-model-file.ts'
import { openStoreToRead } from '../../infrastructure/stores.ts'
import { compareFiles, type FilesCompared } from './compare-files.ts'
import { spawn } from 'node:child_process'
import { fail } from '../../infrastructure/failures.ts'
import type { Settings } from '../../infrastructure/settings.ts'

export type Where = Pick<Settings, 'EVENT_STORE' | 'DATA_DIR' | 'MODE'>

/** Where builds have their program; earlier ones have it in `infrastructure`. */
export const programs = ['service/main.js', 'infrastructure/main.js']

/** The program in a built checkout, or in its `dist`. */
export const programIn = (folder: string): string =>
  programs
    .flatMap((path) => [join('dist', path), path])
    .map((path) => join(resolve(folder), path))
    .find((path) => existsSync(path)) ??
  fail(`${folder} contains no build: run npm ci and npm run build in that checkout`)

/**
 * The settings of this process, except for those that locate the log, which is in another
 * directory.
 */
export const commandOf = (
  { DATA_DIR, MODE }: Where,
  words: readonly string[],
): readonly string[] => [
  `DATA_DIR=${resolve(DATA_DIR)}`,
  `MODE=${MODE}`,
  process.execPath,
  ...words,
]

export const mostOfWords = 20_000

export type Printed = { readonly made_by?: string }

/** The last line of JSON that a build printed. */
export const printedIn = (output: string): Printed => {
  try {
    return JSON.parse(output.trim().split('\n').at(-1) ?? '') as Printed
  } catch {
    return {}
  }
}

export type OtherFold =
  /** `madeBy` is the version of the code that folded it. */
  | { readonly madeBy: string | null }
  /** The other build's error. */
  | { readonly problem: string }

/** Runs another build as a separate process to fold the log up to a position into a new file. */
export const foldWithBuild = (
  program: string,
  place: Where,
  end: Position,
  out: string,
  signal: AbortSignal,
): Promise<OtherFold> =>
  new Promise((done, failed) => {
    const words = [program, 'audit', 'as-of', String(end), '--out', out]
    const child = spawn('env', commandOf(place, words), {
      stdio: ['ignore', 'pipe', 'pipe'],
      signal,
    })
    const said = { stdout: '', stderr: '' }
    for (const name of ['stdout', 'stderr'] as const)
      child[name].setEncoding('utf8').on('data', (text: string) => {
        said[name] = (said[name] + text).slice(-mostOfWords)
      })
    child.once('error', failed)
    child.once('close', (code) => {
      if (code === 0 && existsSync(out))
        return done({ madeBy: printedIn(said.stdout).made_by ?? null })
      const problem = said.stderr.trim() || `it ended with ${code}`
      done({ problem })
    })
  })

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
