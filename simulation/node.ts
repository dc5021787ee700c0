import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { installMachine } from '../application/machine.ts'
import { installClients } from '../infrastructure/event-store/eventstoredb-connection.ts'
import { installSlowCrypto } from '../infrastructure/keys/slow-crypto.ts'
import type { Log } from '../infrastructure/logs/log.ts'
import { readSettings } from '../infrastructure/settings.ts'
import { openService } from '../service/answer.ts'
import { simulatedEventStore } from './event-store.ts'
import { bankAccount, bankProfile, furnish, writeBankProfile } from './furnish.ts'
import { simulatedMachine, type Process } from './machine.ts'
import { randomFrom } from './random.ts'
import { simulatedBank, simulatedReceivers, type Attempt } from './receivers.ts'
import { simulatedCrypto } from './slow-crypto.ts'
import type { Contents } from './stored-log.ts'

export const base = 'http://daybook.test'

/** Monday 2026-03-30 21:30 UTC: soon after it, a month ends in UTC and has ended in Oslo. */
export const beginning = Date.UTC(2026, 2, 30, 21, 30)

const inMemory = '/dev/shm'
const newFolder = (): string =>
  mkdtempSync(join(existsSync(inMemory) ? inMemory : tmpdir(), 'daybook-simulation-'))

/** Files that a process shares with nobody after its end. */
const isLeft = (path: string): boolean => !/-shm$|\.lock/.test(path)
export const copyOf = (folder: string): string => {
  const copy = newFolder()
  cpSync(folder, copy, { recursive: true, filter: isLeft })
  return copy
}

export const remove = (folder: string): void => rmSync(folder, { recursive: true, force: true })

/** What nodes share besides the store. */
const vaultKey = 'vault-key'
const ofCluster = (shared: string) => ({
  EVENT_STORE: 'esdb://store.test:2113?tls=false',
  VAULT: 'streams',
  VAULT_KEY_FILE: join(shared, vaultKey),
  BLOBS: join(shared, 'blobs'),
})

type About = {
  readonly seed: number
  readonly at: number
  readonly note?: (attempt: Attempt) => void
  /** The folder that nodes on an EventStoreDB share; undefined for one node on a file. */
  readonly shared?: string | undefined
  readonly contents?: Contents | undefined
  readonly foreign?: number
}

/** All that lies outside the service. */
export const outsideOf = ({ seed, at, note = () => {}, shared, contents, foreign }: About) => {
  const { machine, ...rest } = simulatedMachine(seed, at)
  const random = randomFrom(seed, 6)
  const settings = shared === undefined ? {} : ofCluster(shared)
  const about = {
    machine: rest,
    random,
    ...(contents && { contents }),
    ...(foreign && { foreign }),
  }
  const store = simulatedEventStore(about)
  const others = [
    installMachine(machine),
    installSlowCrypto(simulatedCrypto()),
    installClients(store.connect),
  ]
  return {
    machine: { machine, ...rest },
    store,
    settings,
    bank: simulatedBank(seed),
    receivers: simulatedReceivers(seed, note),
    logged: [] as string[],
    uninstall: () => others.forEach((bringBack) => bringBack()),
  }
}

export type Outside = ReturnType<typeof outsideOf>

const openIn = async (folder: string, outside: Outside) => {
  const { machine, bank, receivers, logged } = outside
  const settings = readSettings({
    MODE: 'sandbox',
    DATA_DIR: folder,
    PUBLIC_URL: base,
    LOG_LEVEL: 'error',
    BANK_ACCOUNT: bankAccount,
    BANK_PROFILE: join(folder, bankProfile),
    STEP_UP_AMOUNT: 'NOK 5000.00',
    ...outside.settings,
  })
  const level = { level: settings.LOG_LEVEL, errorKey: 'error' }
  const log = pino(level, { write: (line: string) => void logged.push(line) }) as Log
  const opening = openService(settings, log, {
    address: () => base,
    funding: bank.funding,
    signedPost: receivers.signedPost,
  })
  const opened = await machine.until(opening)
  opened.service.begin()
  return { ...opened, settings }
}

/** A process of the service, in a folder of its own. */
export const openNode = async (place: string, outside: Outside, drift = 0) => {
  const { machine, store } = outside
  let folder = place
  let process: Process
  // Alone it is all that runs, and hooks for promises cost turns.
  const isAlone = !('EVENT_STORE' in outside.settings)
  const as = <Result>(work: () => Result): Result => machine.as(isAlone ? undefined : process, work)
  const open = () => {
    process = { drift, isFrozen: false, isDead: false }
    return as(() => openIn(folder, outside))
  }
  let opened = await open()
  const stop = (): Promise<void> => {
    const { service, core } = opened
    return as(() => machine.until(service.stop().then(() => core.close())))
  }
  const end = (): void => {
    machine.kill(process)
    store.forget(process)
  }
  return {
    as,
    drift,
    stop,
    get folder() {
      return folder
    },
    get opened() {
      return opened
    },
    get isFrozen() {
      return process.isFrozen
    },
    freeze: (isFrozen: boolean): void => void (process.isFrozen = isFrozen),
    /** Ends the process at once, and starts it again with what is on its disk. */
    kill: async (): Promise<void> => {
      const killed = copyOf(folder)
      // A file cannot be closed but in order.
      if (!isAlone) end()
      else await stop().then(machine.end)
      remove(folder)
      folder = killed
      opened = await open()
    },
    /** The caller may change its folder between. */
    restart: async (change: (folder: string) => void): Promise<void> => {
      await stop()
      end()
      if (isAlone) machine.end()
      change(folder)
      opened = await open()
    },
  }
}

export type Node = Awaited<ReturnType<typeof openNode>>

/** Modules that a first use loads, in real time: before all worlds, so that none waits for them. */
const loadLateModules = () =>
  Promise.all([
    import('../service/markdown.ts'),
    import('../service/metrics/metrics-registry.ts'),
    import('../service/metrics/join-metrics.ts'),
    import('qrcode'),
    import('date-holidays'),
    import('../infrastructure/bank/bank-file.ts'),
    import('../infrastructure/bank/payout-file.ts'),
    import('../infrastructure/event-store/eventstoredb-event-store.ts'),
    import('../service/server.ts'),
  ])

let document: any

const describe = async ({ app }: Node['opened'], { machine: { until, reading } }: Outside) => {
  const response = await until(Promise.resolve(app.fetch(new Request(`${base}/openapi.json`), {})))
  return reading(response.json())
}

/** The folders and the log of a service with shops, and its OpenAPI document. */
const furnished = async (isCluster: boolean) => {
  await loadLateModules()
  const shared = newFolder()
  process.once('exit', () => remove(shared))
  const folder = isCluster ? join(shared, 'node') : shared
  mkdirSync(folder, { recursive: true })
  writeBankProfile(folder)
  writeFileSync(join(shared, vaultKey), Buffer.alloc(32, 7).toString('base64'), { mode: 0o600 })
  const outside = outsideOf({ seed: 0, at: beginning, shared: isCluster ? shared : undefined })
  try {
    const node = await openNode(folder, outside)
    const { opened } = node
    await node.as(() => outside.machine.until(furnish(opened, folder), Infinity, true))
    // Takes most of a second, and is the same for all worlds.
    document ??= await describe(opened, outside)
    await node.stop()
    return { shared, document, contents: outside.store.contents() }
  } finally {
    outside.uninstall()
  }
}

const made = new Map<boolean, ReturnType<typeof furnished>>()

/** The next world is furnished anew, by what the sources are by then. */
export const forgetFurnished = (): void => made.clear()

/** The same, made once in a process. */
export const furnishedOnce = (isCluster: boolean): ReturnType<typeof furnished> => {
  const known = made.get(isCluster) ?? furnished(isCluster)
  made.set(isCluster, known)
  return known
}

/** The folders of a world's nodes, in a copy of what was furnished. */
export const foldersIn = (shared: string, count: number, isCluster: boolean): readonly string[] => {
  if (!isCluster) return [shared]
  const folders = Array.from({ length: count }, (_, at) => join(shared, `node-${at}`))
  for (const folder of folders) cpSync(join(shared, 'node'), folder, { recursive: true })
  return folders
}
