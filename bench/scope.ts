import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { startLoad, startServer } from './processes.ts'

/** Measures of a case; each has a default, and a smaller one for `--quick`. */
type Extent = {
  readonly rounds: number
  /** Of each window. */
  readonly seconds: number
  /** Of the log, the crowd or the like: the case says what it counts. */
  readonly size: number
}

export type Figure = {
  readonly what: string
  readonly value: number
  readonly unit: string
  /** What the ratio is formed to, of the same round. */
  readonly limit?: number
  readonly target?: readonly [of: 'ratio' | 'value', comparison: '≥' | '≤', number]
  /** Printed beside it. */
  readonly more?: string
}

type Round = (scope: Scope) => Promise<readonly Figure[]>

export type Case = {
  readonly about: string
  readonly usual: Extent
  readonly quick: Extent
  /** It runs code of this checkout in this process, so that builds cannot be compared. */
  readonly isOfThisCheckout?: boolean
  /** Prepares what all rounds share. */
  readonly open: (scope: Scope) => Round | Promise<Round>
}

export type Scenario = Readonly<Record<string, Case>>

type Settings = Readonly<Record<string, string>>

export type Options = Pick<Extent, 'seconds' | 'size'> & {
  /** The main script of the measured build. */
  readonly program: string
  /** A folder or a connection string, for cases that take one. */
  readonly place: string | undefined
  readonly say: (text: string) => void
}

const plainSettings = { HOST: '127.0.0.1', PORT: '0', MODE: 'sandbox', LOG_LEVEL: 'error' }

type Start = {
  /** The settings, with the folder of the log if it is not a new one. */
  readonly settings?: Settings
  readonly words?: readonly string[]
  readonly onMessage?: (message: unknown) => void
}

let labels = 0

/** What a case works with. What it starts and makes ends with the scope, the last one first. */
export const openScope = (options: Options) => {
  const ends: (() => unknown)[] = []
  const later = (end: () => unknown): void => void ends.push(end)
  const { program } = options

  const folder = (): string => {
    const path = mkdtempSync(join(tmpdir(), 'daybook-bench-'))
    later(() => rmSync(path, { recursive: true, force: true }))
    return path
  }

  /** Starts a server of the bench, or the service; `stop` may be called early. */
  const server = async (...words: Parameters<typeof startServer>) => {
    const started = await startServer(...words)
    later(started.stop)
    const base = `http://${started.address.host}:${started.address.port}`
    return { ...started, base }
  }

  return {
    ...options,
    later,
    folder,
    server,
    /** Names payments and captures, differently each time. */
    label: (): string => `${Date.now()}-${labels++}`,
    /** Ends itself with the scope. */
    load: () => {
      const load = startLoad()
      later(load.stop)
      return load
    },
    /** The service of the measured build, in the sandbox. */
    service: async ({ settings = {}, words = ['serve'], onMessage }: Start = {}) => {
      const DATA_DIR = settings['DATA_DIR'] ?? folder()
      const environment = { ...plainSettings, ...settings, DATA_DIR }
      const started = await server(program, words, environment, onMessage)
      const adminKey = readFileSync(join(DATA_DIR, 'sandbox-admin-key.pem'), 'utf8')
      return { ...started, DATA_DIR, shop: { address: started.address, adminKey } }
    },
    /** Runs a command of the measured build, with the options of `npm run daybook`. */
    command: async (at: string | Settings, ...words: readonly string[]): Promise<string> => {
      const settings = typeof at === 'string' ? { DATA_DIR: at } : at
      const env = { ...process.env, MODE: 'sandbox', ...settings }
      const parameters = ['--max-semi-space-size=64', program, ...words]
      const { stdout } = await promisify(execFile)(process.execPath, parameters, { env })
      return stdout
    },
    close: async (): Promise<void> => {
      for (const end of ends.reverse()) await end()
    },
  }
}

export type Scope = Omit<ReturnType<typeof openScope>, 'close'>

export const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN

export const secondsSince = (began: number): number => (performance.now() - began) / 1_000
