import { cpSync, mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { pino } from 'pino'
import type { FundingSource } from '../application/funding.ts'
import { logOptions, type Log } from '../infrastructure/logs/log.ts'
import { openService } from '../service/server.ts'
import { startServer } from '../service/server/start-server.ts'
import { readSettings } from '../infrastructure/settings.ts'
import { tmpdir } from 'node:os'
import { prepareKeys } from './signing.ts'

/** A service that answers, in this process or in one of its own. */
export type RunningService = {
  /** Where it listens: `http://127.0.0.1:…`. */
  readonly address: string
  /** Resolves once it has ended: to the exit code of a process. */
  readonly stop: () => Promise<number | null | void>
}

export type Settings = Readonly<Record<string, string>>

/** What production needs, where the given settings say nothing else. */
export const withProduction = (environment: Settings): Settings => ({
  ...(environment['MODE'] === 'production' && {
    PUBLIC_URL: 'https://pay.example',
    VAULT_KEY_FILE: 'none',
  }),
  ...environment,
})

/** A new data directory, with keys so that the service need not make them. */
export const newFolder = (): string => prepareKeys(mkdtempSync(join(tmpdir(), 'daybook-test-')))

type Environment = Readonly<Record<string, string>>

const ports = { PORT: '0', METRICS_PORT: '0' }

const prepared = (environment: Environment, folder: string) => {
  const settings = readSettings({
    ...ports,
    MODE: 'sandbox',
    ...withProduction(environment),
    DATA_DIR: folder,
  })
  const logged: string[] = []
  const write = (line: string) => void logged.push(line)
  const log = pino(logOptions(settings.LOG_LEVEL), { write }) as Log
  return { settings, logged, log }
}

let started: Promise<{ readonly folder: string; readonly at: number }> | undefined

/** The folder of a sandbox that has started once: its keys and first events take most of it. */
const startedFolder = () =>
  (started ??= (async () => {
    const folder = newFolder()
    const { settings, log } = prepared({}, folder)
    const { stop } = await startServer(settings, log)
    await stop()
    return { folder, at: Date.now() }
  })())

const first = [
  ...['events.sqlite', 'events.sqlite-head', 'vault.sqlite', 'vault.sqlite-seen'],
  ...['callback-rsa.pem', 'callback-ed25519.pem', 'sandbox-admin-key.pem', 'read-models'],
]

/** What decides where a log and a vault are, and what is first in them. */
const ofFirst = ['MODE', 'EVENT_STORE', 'VAULT', 'VAULT_KEY_FILE', 'BLOBS']

/** A folder as a service leaves it that has started once. */
const folderFor = async (environment: Environment): Promise<string> => {
  const folder = newFolder()
  if (ofFirst.some((name) => name in environment)) return folder
  const { folder: from, at } = await startedFolder()
  // A test whose clock stands earlier would begin with events of its future.
  if (at <= Date.now())
    for (const name of first) cpSync(join(from, name), join(folder, name), { recursive: true })
  return folder
}

/**
 * Starts the service in this process, behind a real socket; `ofFolder` may be that of an earlier
 * one.
 */
export const startInProcess = async (environment: Environment = {}, ofFolder?: string) => {
  const folder = ofFolder ?? (await folderFor(environment))
  const { settings, logged, log } = prepared(environment, folder)
  const start = () => startServer(settings, log)
  const server = await start()
  return { ...(server satisfies RunningService), settings, folder, logged, start }
}

/** Opens the service without a socket and without work beside the requests. */
export const openInProcess = async (
  environment: Environment & { readonly PUBLIC_URL: string },
  ofFolder?: string,
  funding?: FundingSource,
) => {
  const folder = ofFolder ?? (await folderFor(environment))
  const { settings, logged, log } = prepared(environment, folder)
  const { PUBLIC_URL: address } = environment
  const opened = await openService(settings, log, { address: () => address, funding })
  const stop = async () => {
    await opened.service.stop()
    await opened.core.close()
  }
  return { ...opened, address, settings, folder, logged, stop }
}
