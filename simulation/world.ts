import { createHash, createPrivateKey, type KeyObject } from 'node:crypto'
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import type { Position, RecordedEvent } from '../application/event-store.ts'
import { installMachine } from '../application/machine.ts'
import { Refusal } from '../domain/refusal.ts'
import { operatorHere } from '../tests/support/operator.ts'
import { secretHeaders, signedHeaders } from '../harness/signing.ts'
import { installSlowCrypto } from '../infrastructure/keys/slow-crypto.ts'
import type { Log } from '../infrastructure/logs/log.ts'
import { readSettings } from '../infrastructure/settings.ts'
import { openService } from '../service/answer.ts'
import { simulatedDisk, type DiskFault } from './disk.ts'
import {
  bankAccount,
  bankProfile,
  furnish,
  keyFile,
  ofOperator,
  secret,
  writeBankProfile,
  type Shop,
} from './furnish.ts'
import { simulatedMachine, Stuck, type SimulatedMachine } from './machine.ts'
import { simulatedBank, simulatedReceivers, type Attempt } from './receivers.ts'
import { simulatedCrypto } from './slow-crypto.ts'

const base = 'http://daybook.test'

/** Monday 2026-03-30 21:30 UTC: soon after it, a month ends in UTC and has ended in Oslo. */
const beginning = Date.UTC(2026, 2, 30, 21, 30)

export type Who = Shop | 'sandbox'

export type Asked = {
  readonly method: string
  readonly path: string
  readonly body?: unknown
  /** Nobody for routes that need no credentials. */
  readonly as?: Who | undefined
  readonly isSigned?: boolean
  readonly headers?: Readonly<Record<string, string>>
  /** Signed as if it were so many seconds ago. */
  readonly secondsAgo?: number
  /** The address that it comes from. */
  readonly from?: string
}

export type Answered = {
  readonly status: number
  readonly type: string
  readonly text: string
  readonly location: string | null
  /** The id that events of the request carry. */
  readonly requestId: string
  readonly cookies: readonly string[]
  readonly body: any
}

const inMemory = '/dev/shm'
const newFolder = (): string =>
  mkdtempSync(join(existsSync(inMemory) ? inMemory : tmpdir(), 'daybook-simulation-'))

/** Files that a process shares with nobody after its end. */
const isLeft = (path: string): boolean => !/-shm$|\.lock/.test(path)
const copyOf = (folder: string): string => {
  const copy = newFolder()
  cpSync(folder, copy, { recursive: true, filter: isLeft })
  return copy
}

type Outside = {
  readonly machine: SimulatedMachine
  readonly bank: ReturnType<typeof simulatedBank>
  readonly receivers: ReturnType<typeof simulatedReceivers>
  readonly logged: string[]
}

const openIn = async (folder: string, { machine, bank, receivers, logged }: Outside) => {
  const settings = readSettings({
    ...{ MODE: 'sandbox', DATA_DIR: folder, PUBLIC_URL: base, LOG_LEVEL: 'error' },
    ...{ BANK_ACCOUNT: bankAccount, BANK_PROFILE: join(folder, bankProfile) },
    STEP_UP_AMOUNT: 'NOK 5000.00',
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

type Opened = Awaited<ReturnType<typeof openIn>>

/** What a command of the operator has printed. */
export type Ran = { readonly code: number; readonly errors: string; readonly printed: any }

const close = async ({ service, core }: Opened): Promise<void> => {
  await service.stop()
  await core.close()
}

const outsideOf = (seed: number, at: number, note: (attempt: Attempt) => void) => ({
  machine: simulatedMachine(seed, at),
  bank: simulatedBank(seed),
  receivers: simulatedReceivers(seed, note),
  logged: [] as string[],
})

const install = ({ machine }: SimulatedMachine) => {
  const others = [installMachine(machine), installSlowCrypto(simulatedCrypto())]
  return () => others.forEach((bringBack) => bringBack())
}

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
    import('../service/server.ts'),
  ])

type Furnished = { readonly folder: string; readonly document: any }

let furnished: Promise<Furnished> | undefined

/** A folder with shops, and the OpenAPI document, made once in a process. */
const furnishedFolder = (): Promise<Furnished> =>
  (furnished ??= (async () => {
    await loadLateModules()
    const folder = newFolder()
    process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
    writeBankProfile(folder)
    const outside = outsideOf(0, beginning, () => {})
    const uninstall = install(outside.machine)
    try {
      const opened = await openIn(folder, outside)
      await outside.machine.until(furnish(opened, folder), Infinity, true)
      // Takes most of a second, and is the same for all worlds.
      const described = opened.app.fetch(new Request(`${base}/openapi.json`), {})
      const response = await outside.machine.until(Promise.resolve(described))
      const document = await outside.machine.reading(response.json())
      await outside.machine.until(close(opened))
      return { folder, document }
    } finally {
      uninstall()
    }
  })())

/**
 * A service of one process on a folder of its own, with everything outside it simulated.
 * Long because all that a world can do shares the service that runs.
 */
export const openWorld = async (
  seed: number,
  onAnswer: (asked: Asked, answer: Answered) => void = () => {},
) => {
  const { folder: template, document } = await furnishedFolder()
  let folder = copyOf(template)
  const trace = createHash('sha256')
  const attempts: (Attempt & { readonly time: number })[] = []
  const outside = outsideOf(seed, beginning + 60_000, (attempt) => {
    attempts.push({ ...attempt, time: steady() })
    trace.update(`callback ${JSON.stringify(attempt)}\n`)
  })
  const { machine, bank, receivers, logged } = outside
  const steady = (): number => machine.machine.steadyTime()
  const disk = simulatedDisk()
  const uninstall = install(machine)
  const key: KeyObject = createPrivateKey(readFileSync(join(folder, keyFile)))
  let opened = await openIn(folder, outside)
  let ahead = 0

  const credentials = (asked: Asked, url: string, body: string): Record<string, string> => {
    const { method, as, isSigned, secondsAgo = 0 } = asked
    if (as === undefined) return {}
    if (!isSigned) return secretHeaders(as, 'pos1', as === 'sandbox' ? 'sandbox-secret' : secret)
    const headers = { 'X-Service-Merchant': as, 'X-Service-User': 'admin' }
    const at = machine.machine.wallClock() - secondsAgo * 1000
    return signedHeaders({ method, url, body, key, headers, at })
  }

  const requestFor = (asked: Asked): Request => {
    const url = asked.path.startsWith('http') ? asked.path : base + asked.path
    const { body } = asked
    const text = body === undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body)
    const headers = {
      ...(text !== '' && { 'Content-Type': 'application/json' }),
      ...credentials(asked, url, text),
      ...asked.headers,
    }
    const { method } = asked
    return new Request(url, { method, headers, ...(text !== '' && { body: text }) })
  }

  const send = (asked: Asked): Promise<Response> => {
    // Wrong secrets lock out a network, and the wanderer must not lock out the shops.
    const remoteAddress = asked.from ?? (asked.as === 'sandbox' ? '192.0.2.1' : '127.0.0.1')
    const environment = { incoming: { socket: { remoteAddress } } }
    return Promise.resolve(opened.app.fetch(requestFor(asked), environment))
  }

  const answerOf = async (response: Response): Promise<Answered> => {
    const type = response.headers.get('content-type') ?? ''
    if (type.startsWith('text/event-stream')) await response.body?.cancel()
    // Some bodies are made while they are read, as receipts are.
    const read = () => machine.until(response.text(), Infinity, true)
    const text = response.bodyUsed ? '' : await read()
    const body = type.includes('json') && text !== '' ? JSON.parse(text) : undefined
    const { status, headers } = response
    const requestId = headers.get('x-request-id') ?? ''
    const about = { status, type, text, location: headers.get('location'), requestId }
    return { ...about, cookies: headers.getSetCookie(), body }
  }

  const note = (asked: Asked, answer: Answered): Answered => {
    const { method, path, body } = asked
    trace.update(`${machine.machine.wallClock()} ${method} ${path} ${JSON.stringify(body)}\n`)
    trace.update(`${answer.status} ${answer.location} ${answer.text}\n`)
    onAnswer(asked, answer)
    return answer
  }
  const ask = async (asked: Asked): Promise<Answered> =>
    note(asked, await answerOf(await machine.until(send(asked))))

  const restart = async (from: string): Promise<void> => {
    machine.end()
    if (from !== folder) rmSync(folder, { recursive: true, force: true })
    folder = from
    opened = await openIn(folder, outside)
  }

  const stop = () => machine.until(close(opened))

  return {
    machine,
    document,
    bank,
    receivers,
    attempts,
    logged,
    get folder() {
      return folder
    },
    get settings() {
      return opened.settings
    },
    get routes() {
      return opened.routes
    },
    get store() {
      return opened.core.store
    },
    eventsAfter: async (position: Position): Promise<readonly RecordedEvent[]> => {
      const all: RecordedEvent[] = []
      for await (const batch of opened.core.store.readAll(position)) all.push(...batch)
      return all
    },
    /** Milliseconds that never go back. */
    steady,
    clock: (): number => machine.machine.wallClock(),
    /** The time of the service, as its operator knows it. */
    now: (): number => machine.machine.wallClock() + ahead,
    ask,
    /** What the operator does: 204, or 400 if it is refused. */
    operate: async (act: (core: Opened['core']) => Promise<unknown>): Promise<204 | 400> => {
      try {
        await machine.until(act(opened.core))
        return 204
      } catch (error) {
        if (error instanceof Refusal) return 400
        throw error
      }
    },
    /** The operator's command, as a person at a terminal runs it; what it prints. */
    command: async (person: string, words: readonly string[]): Promise<Ran> => {
      const core = ofOperator(opened.core, person)
      const given = words.map((word) => word.replaceAll('{folder}', folder))
      const run = operatorHere(opened.settings, core)('--json', ...given)
      const { code, output, errors } = await machine.until(run, Infinity, true)
      trace.update(`${machine.machine.wallClock()} ${words.join(' ')}: ${code}\n`)
      return { code, errors, printed: code === 0 && output !== '' ? JSON.parse(output) : undefined }
    },
    /** The answers to requests that are sent at the same time. */
    askTogether: async (asked: readonly Asked[]): Promise<readonly Answered[]> => {
      const responses = await machine.until(Promise.all(asked.map(send)))
      const answers: Answered[] = []
      for (const [at, response] of responses.entries())
        answers.push(note(asked[at] as Asked, await answerOf(response)))
      return answers
    },
    /** Moves the clock of the sandbox to a whole second, and does what is due by then. */
    advanceTo: async (instant: number): Promise<Answered> => {
      const now = new Date(instant).toISOString().slice(0, 19).replace('T', ' ')
      const askedAt = machine.machine.wallClock()
      const answer = await ask({ method: 'POST', path: '/sandbox/v1/clock/', body: { now } })
      if (answer.status === 200)
        ahead = Math.max(ahead, Math.floor(instant / 1000) * 1000 - askedAt)
      return answer
    },
    /** Asks while the disk of the event log fails. */
    askOnDisk: async (asked: Asked, fault: DiskFault): Promise<Answered> => {
      disk.fail(fault)
      const answer = await ask(asked)
      disk.fail()
      return answer
    },
    /** Sends a request and kills the process after some steps; nobody sees an answer. */
    askAndKill: async (asked: Asked, steps: number): Promise<void> => {
      const sent = send(asked)
      await machine.until(sent, steps).catch((error: unknown) => {
        if (!(error instanceof Stuck)) throw error
      })
      const killed = copyOf(folder)
      sent.catch(() => {})
      await stop()
      await restart(killed)
      trace.update('killed\n')
    },
    /** Ends the service in order, and starts it again; the caller may change its folder between. */
    restart: async (change: (folder: string) => void = () => {}): Promise<void> => {
      await stop()
      change(folder)
      await restart(folder)
      trace.update('restarted\n')
    },
    /** A digest of all requests, answers and callbacks so far. */
    trace: (): string => trace.copy().digest('hex').slice(0, 16),
    stop,
    end: (): void => {
      uninstall()
      disk.uninstall()
      machine.end()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

export type World = Awaited<ReturnType<typeof openWorld>>
