import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Position } from '../../application/event-store.ts'
import { fail } from '../../infrastructure/failures.ts'
import type { Settings } from '../../infrastructure/settings.ts'

export type Where = Pick<Settings, 'EVENT_STORE' | 'DATA_DIR' | 'MODE'>

/** Where builds have their program; earlier ones have it in `infrastructure`. */
const programs = ['service/main.js', 'infrastructure/main.js']

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
const commandOf = ({ DATA_DIR, MODE }: Where, words: readonly string[]): readonly string[] => [
  `DATA_DIR=${resolve(DATA_DIR)}`,
  `MODE=${MODE}`,
  process.execPath,
  ...words,
]

const mostOfWords = 20_000

type Told = { readonly made_by?: string }

/** The last line of JSON that a build printed. */
const toldIn = (output: string): Told => {
  try {
    return JSON.parse(output.trim().split('\n').at(-1) ?? '') as Told
  } catch {
    return {}
  }
}

type OtherFold =
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
        return done({ madeBy: toldIn(said.stdout).made_by ?? null })
      const problem = said.stderr.trim() || `it ended with ${code}`
      done({ problem })
    })
  })
