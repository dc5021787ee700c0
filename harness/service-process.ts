import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { withProduction, type RunningService } from './in-process.ts'

const root = fileURLToPath(new URL('..', import.meta.url))

/** Set whatever the environment of this process says. */
const plainSettings = {
  MODE: 'sandbox',
  HOST: '127.0.0.1',
  PORT: '0',
  METRICS_PORT: '0',
  EVENT_STORE: 'sqlite',
  PUBLIC_URL: '',
  HEADER_PREFIX: '',
  MEDIA_VENDOR: '',
  ABSOLUTE_URIS: '',
  CLOCK_TOLERANCE_SECONDS: '',
  PRIVATE_CALLBACKS: '',
  LOG_LEVEL: 'warn',
}

export type SettingsOfProcess = { readonly DATA_DIR: string } & Readonly<Record<string, string>>

/** What commands need to know of nodes that stand for a process, by its folder. */
let beside: ReadonlyMap<string, Readonly<Record<string, string>>> = new Map()

/** Where the program was built; a patched copy of it, where a test of a check needs a fault. */
const built = (): string => process.env['DAYBOOK_BUILT'] ?? 'dist'

/** A `daybook` command of the built program, in a process of its own, with these settings. */
export const startCommand = (
  words: readonly string[],
  settings: SettingsOfProcess,
  errors: 'inherit' | 'pipe' = 'inherit',
): ChildProcess =>
  spawn(process.execPath, [`${built()}/service/main.js`, ...words], {
    cwd: root,
    env: {
      ...process.env,
      ...plainSettings,
      ...beside.get(settings.DATA_DIR),
      ...withProduction(settings),
    },
    stdio: ['ignore', 'pipe', errors],
  })

/**
 * Runs a `daybook` command to its end.
 * @throws Error when it fails
 */
export const runCommand = async (words: readonly string[], settings: SettingsOfProcess) => {
  const child = startCommand(words, settings)
  child.stdout!.resume()
  const [code] = await once(child, 'exit')
  if (code !== 0) throw new Error(`daybook ${words.join(' ')}: exit code ${code}`)
}

const patienceMs = 15_000

const hasEnded = ({ exitCode, signalCode }: ChildProcess): boolean =>
  exitCode !== null || signalCode !== null

/** The message of a logged error, without its stack. */
const errorIn = (line: string): string | undefined => {
  // Of pino: 50 is an error, 60 the end of the process.
  if (!/^\{"level":[56]0,/.test(line)) return
  const { msg, error } = JSON.parse(line) as { msg: string; error?: { message?: string } }
  return error?.message === undefined ? msg : `${msg} (${error.message})`
}

const startOne = async (settings: SettingsOfProcess) => {
  const child = startCommand(['serve'], settings, 'pipe')
  const printed: string[] = []
  /** Logged errors, each once; the whole log goes to stderr. */
  const errors = new Set<string>()
  createInterface({ input: child.stderr! }).on('line', (line) => {
    process.stderr.write(`${line}\n`)
    const error = errorIn(line)
    if (error !== undefined) errors.add(error)
  })
  for await (const line of createInterface({ input: child.stdout! })) {
    printed.push(line)
    const address = /^listening on (http:\/\/\S+)$/.exec(line)?.[1]
    if (address === undefined) continue
    child.stdout!.resume()
    /** Resolves to the exit code, null when a signal ended it; kills it if it takes too long. */
    const stop = async (signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM'): Promise<number | null> => {
      if (hasEnded(child)) return child.exitCode
      const impatience = setTimeout(() => child.kill('SIGKILL'), patienceMs)
      child.kill(signal)
      await once(child, 'exit')
      clearTimeout(impatience)
      return child.exitCode
    }
    const running = { address, stop } satisfies RunningService
    return { ...running, child, printed, errors: errors as ReadonlySet<string> }
  }
  throw new Error(`the service ended before it listened: ${printed.join(' ')}`)
}

export type ServiceProcess = Awaited<ReturnType<typeof startOne>>

/** Two nodes on the protocol server in the place of one process: `DAYBOOK_NODES=2 npx vitest …`. */
export const asNodes = process.env['DAYBOOK_NODES'] === '2'

/**
 * Starts the service and waits until it answers requests.
 * @throws Error when it ends before that
 */
export const startServiceProcess = async (settings: SettingsOfProcess): Promise<ServiceProcess> => {
  if (!asNodes || settings['EVENT_STORE'] !== undefined) return startOne(settings)
  const { settingsBeside, startNodes } = await import('../tests/support/nodes.ts')
  beside = settingsBeside
  return startNodes<ServiceProcess>(settings, startOne)
}
