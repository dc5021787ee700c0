import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import { startCommand, type SettingsOfProcess } from '../../harness/service-process.ts'
import { openCore } from '../../service/core.ts'
import { connectEventStoreDB } from '../../infrastructure/event-store/eventstoredb-event-store.ts'
import { openSqliteEventStore } from '../../infrastructure/event-store/sqlite-event-store.ts'
import { failureOf } from '../../infrastructure/failures.ts'
import { keyInFile } from '../../infrastructure/keys/keys.ts'
import { makeLog } from '../../infrastructure/logs/log.ts'
import { makeSandboxData } from '../../service/sandbox/sandbox-data.ts'
import { refuseLogOfOtherMode } from '../../service/mode-of-log.ts'
import { readSettings, printSetting, type Settings } from '../../infrastructure/settings.ts'
import Database from '../../infrastructure/sqlite.ts'
import { beginLog, operatorHere } from '../../harness/operator.ts'
import { newFolder, withProduction } from '../../harness/in-process.ts'
import { startProtocolPlace } from '../event-store/protocol-place.ts'

const root = newFolder()

const folder = (name: string) => join(root, name)

afterAll(() => rmSync(root, { recursive: true }))

/** Starts the service, and stops it at once if it listens. */
const start = async (settings: SettingsOfProcess) => {
  const child = startCommand(['serve'], settings, 'pipe')
  const printed = { output: '', errors: '' }
  child.stderr!.setEncoding('utf8').on('data', (text) => (printed.errors += text))
  child.stdout!.setEncoding('utf8').on('data', (text) => {
    printed.output += text
    if (printed.output.includes('listening on')) child.kill()
  })
  const [code] = await once(child, 'close')
  return { code: code as number | null, ...printed }
}

describe('production on a log that the sandbox has used', () => {
  test('given its merchant, users and payers and its moved clock, then the service does not start, and names them', async () => {
    const DATA_DIR = folder('rehearsed')
    const settings = readSettings(withProduction({ DATA_DIR, MODE: 'production' }))
    const core = await openCore(settings, makeLog('silent'))
    await makeSandboxData(core, DATA_DIR)
    await core.advanceClock({ by: 1000 }, core.contextOf('test'))
    await core.close()
    await expect(refuseLogOfOtherMode(settings)).rejects.toThrow(
      `MODE="production": the log of DATA_DIR="${DATA_DIR}" was used by the sandbox, whose secrets are published; ` +
        'it holds merchant-sandbox, user-sandbox/pos1, user-sandbox/admin, payer-alice, payer-bob, a clock that was moved. ' +
        'Production needs a log of its own',
    )
  })

  test('given nothing but a clock that was moved, then it does not start either', async () => {
    const DATA_DIR = folder('moved')
    const core = await openCore(
      readSettings(withProduction({ DATA_DIR, MODE: 'production' })),
      makeLog('silent'),
    )
    await core.advanceClock({ by: 1000 }, core.contextOf('test'))
    await core.close()
    const { code, output, errors } = await start({ DATA_DIR, MODE: 'production' })
    expect([code, output]).toEqual([1, ''])
    expect(errors).toContain('it holds a clock that was moved.')
  })

  test('given a merchant of the same name that the operator has made, then it starts', async () => {
    const settings = readSettings(
      withProduction({ DATA_DIR: folder('namesake'), MODE: 'production' }),
    )
    await beginLog(settings)
    const words = ['merchant', 'add', 'sandbox', '--name', 'Sand', '--currency', 'NOK']
    expect(await operatorHere(settings)(...words)).toMatchObject({ code: 0 })
    await expect(refuseLogOfOtherMode(settings)).resolves.toBeUndefined()
  })
})

describe('the sandbox on a log of production', () => {
  test(
    'given a service that has answered for production, then the sandbox does not start, and changes nothing',
    { tags: 'night' },
    async () => {
      const DATA_DIR = folder('production')
      const production = { DATA_DIR, MODE: 'production' }
      expect(await start(production)).toMatchObject({ code: 0 })
      expect(await start({ DATA_DIR })).toEqual({
        code: 1,
        output: '',
        errors:
          `MODE="sandbox": the log of DATA_DIR="${DATA_DIR}" is one of production, and the sandbox publishes its secrets. ` +
          'Set MODE=production, or give the sandbox a log of its own\n',
      })
      expect(await start(production)).toMatchObject({ code: 0 })
    },
  )

  test('given a log that the operator alone has written, then the sandbox starts', async () => {
    const DATA_DIR = folder('operator')
    const words = ['merchant', 'add', 'shop', '--name', 'Shop', '--currency', 'NOK']
    const settings = readSettings({ DATA_DIR })
    await beginLog(settings)
    expect(await operatorHere(settings)(...words)).toMatchObject({ code: 0 })
    expect(await start({ DATA_DIR })).toMatchObject({ code: 0 })
  })
})

describe('a service that is started before its EventStoreDB', () => {
  /** Starts it while the store is away; returns what it logs and prints. */
  const startBefore = async () => {
    const place = await startProtocolPlace()
    await place.stop()
    const DATA_DIR = newFolder()
    const settings = { DATA_DIR, EVENT_STORE: place.url, LOG_LEVEL: 'warn' }
    const child = startCommand(['serve'], settings, 'pipe')
    onTestFinished(async () => {
      if (child.exitCode === null) child.kill('SIGKILL')
      await place.remove()
      rmSync(DATA_DIR, { recursive: true })
    })
    const [line] = (await once(createInterface({ input: child.stderr! }), 'line')) as [string]
    const told = JSON.parse(line) as { msg: string; address: string; error: Error }
    return { place, child, told }
  }

  test('given that it comes later, then it waits alive and goes on', async () => {
    const { place, child, told } = await startBefore()
    expect(told).toMatchObject({
      msg: 'the event store is not there yet: the service waits for it',
      error: { message: expect.stringContaining('ECONNREFUSED') },
    })
    const ask = async (path: string) => {
      const answer = await fetch(told.address + path)
      return [answer.status, answer.headers.get('retry-after'), await answer.json()]
    }
    expect(await ask('/health/live')).toEqual([200, null, { status: 'live' }])
    const away = { error_description: 'The log of events cannot be used just now.' }
    for (const path of ['/health/ready', '/merchant/v1/payment_request/'])
      expect(await ask(path)).toEqual([503, '1', expect.objectContaining(away)])
    await place.startAgain()
    const lines = createInterface({ input: child.stdout! })
    for await (const line of lines) if (line === `listening on ${told.address}`) break
    await expect.poll(async () => (await ask('/health/ready'))[0], { timeout: 30_000 }).toBe(200)
    child.stdout!.resume()
    child.kill()
    expect(await once(child, 'exit')).toEqual([0, null])
  }, 60_000)

  test('given that it is stopped while it waits, then it ends', async () => {
    const { child } = await startBefore()
    child.kill()
    expect(await once(child, 'exit')).toEqual([0, null])
  }, 60_000)
})

describe('a service that cannot start says why in one line', () => {
  /** The output of a failed start, for each way of starting. */
  const told = async (
    settings: Readonly<Record<string, string>>,
    begin: (settings: Settings) => Promise<unknown> = (read) => openCore(read, makeLog('silent')),
  ): Promise<string | undefined> => {
    const read = readSettings(settings)
    const error: unknown = await begin(read).then(
      () => undefined,
      (error: unknown) => error,
    )
    return failureOf(error, read)?.text
  }

  /** Listens at the configured address, like the service. */
  const listen = async ({ HOST, PORT }: Settings): Promise<void> => {
    const server = createServer().listen(PORT, HOST)
    onTestFinished(() => void server.close())
    await once(server, 'listening')
  }

  test('given a port that is taken', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    onTestFinished(() => void other.close())
    await once(other, 'listening')
    const PORT = String((other.address() as AddressInfo).port)
    expect(await start({ DATA_DIR: folder('port'), PORT })).toEqual({
      code: 1,
      output: '',
      errors: `PORT="${PORT}": already in use by another process on HOST="127.0.0.1"\n`,
    })
    // Before anything else is looked at.
    expect(existsSync(folder('port'))).toBe(false)
    expect(
      (await start({ DATA_DIR: folder('port'), MODE: 'production', METRICS_PORT: PORT })).errors,
    ).toBe(
      `METRICS_PORT="${PORT}": already in use by another process on METRICS_HOST="127.0.0.1"\n`,
    )
    expect(existsSync(folder('port'))).toBe(false)
  })

  test('given a host that does not exist, or is not here', async () => {
    const DATA_DIR = folder('host')
    expect(await told({ DATA_DIR, HOST: 'nosuch.invalid' }, listen)).toMatch(
      /^HOST="nosuch\.invalid": there is no such host \(E\w+\)$/,
    )
    expect(await told({ DATA_DIR, HOST: '192.0.2.1' }, listen)).toBe(
      'HOST="192.0.2.1": this machine has no such address',
    )
  })

  test('given a data directory that is a file, lies in one, or cannot be written', async () => {
    const file = folder('file')
    writeFileSync(file, '')
    expect(await told({ DATA_DIR: file })).toBe(
      `DATA_DIR="${file}": ${file}: there is a file of that name already`,
    )
    expect(await told({ DATA_DIR: join(file, 'data') })).toContain(
      'a part of its path is a file, not a folder',
    )
    expect(await told({ DATA_DIR: folder('no-blobs'), BLOBS: file })).toBe(
      `BLOBS="${file}": there is a file of that name already`,
    )
    // Not even the superuser may write there.
    expect(await told({ DATA_DIR: '/proc' })).toBe(
      'DATA_DIR="/proc": /proc/events.sqlite: unable to open database file (SQLITE_CANTOPEN)',
    )
    expect(await told({ DATA_DIR: '/proc/nope/data' })).toBe(
      'DATA_DIR="/proc/nope/data": /proc/nope: there is no such file or folder',
    )
  })

  test('given a log of a newer format, and files that are none', async () => {
    const logIn = (name: string) => {
      mkdirSync(folder(name))
      return join(folder(name), 'events.sqlite')
    }
    const newer = logIn('newer')
    await openSqliteEventStore(newer).close()
    const log = new Database(newer)
    log.pragma('user_version = 3')
    log.close()
    expect(await told({ DATA_DIR: folder('newer') })).toBe(
      `DATA_DIR="${folder('newer')}": ${newer} has format 3, this program reads formats up to 2`,
    )
    const foreign = logIn('foreign')
    new Database(foreign).exec('CREATE TABLE recipes (name TEXT)').close()
    expect(await told({ DATA_DIR: folder('foreign') })).toContain(
      `${foreign} is a database, but not an event log`,
    )
    const letter = logIn('letter')
    writeFileSync(letter, 'Dear sir or madam, '.repeat(100))
    expect(await told({ DATA_DIR: folder('letter') })).toContain(
      `${letter} is a file, but not an event log`,
    )
    const VAULT = folder('vault-letter')
    copyFileSync(letter, VAULT)
    expect(await told({ DATA_DIR: folder('vault-of-none'), VAULT })).toContain(
      `${VAULT}: file is not a database (SQLITE_NOTADB)`,
    )
  })

  test('given an unreachable event store, then it is named without its password', async () => {
    const EVENT_STORE = 'esdb://admin:changeit@127.0.0.1:1?tls=false'
    const ask = async (): Promise<void> => {
      const store = connectEventStoreDB(EVENT_STORE, {
        timeouts: { attempt: 200, altogether: 400 },
      })
      await store.head().finally(() => store.close())
    }
    expect(await told({ DATA_DIR: folder('nowhere'), EVENT_STORE }, ask)).toMatch(
      /^EVENT_STORE="esdb:\/\/…@127\.0\.0\.1:1\?tls=false": the log cannot be used: .*ECONNREFUSED/,
    )
  })

  test('given a password with an at sign or a slash, then none of it is printed', async () => {
    for (const password of ['se@cret', 'se/cret'])
      expect(printSetting('EVENT_STORE', `esdb://admin:${password}@127.0.0.1:1`)).toBe(
        'EVENT_STORE="esdb://…@127.0.0.1:1"',
      )
  })

  test('given a file of a key that holds none', async () => {
    const file = join(folder('keyless'), 'callback-rsa.pem')
    mkdirSync(folder('keyless'))
    writeFileSync(file, 'no key')
    expect(await told({ DATA_DIR: folder('keyless') }, () => keyInFile(file, 'rsa'))).toBe(
      `DATA_DIR="${folder('keyless')}": ${file} contains no private key: put it back from a copy`,
    )
  })

  test('given another vault than the one that the log is sealed with, or none where it was', async () => {
    const DATA_DIR = folder('two-vaults')
    const vault = join(DATA_DIR, 'vault.sqlite')
    const open = async (VAULT?: string) => {
      const settings = readSettings({ DATA_DIR, VAULT })
      await (await openCore(settings, makeLog('silent'))).close()
    }
    await open()
    const refused = (file: string, whatItIs = 'is not the vault') =>
      `DATA_DIR="${DATA_DIR}": ${file} ${whatItIs} that this log is sealed with: put that one in its place, or name it with VAULT`
    const isMissing = 'is missing: it should be the vault'
    const other = join(root, 'other-vault.sqlite')
    expect(await told({ DATA_DIR, VAULT: other })).toBe(refused(other, isMissing))
    expect(existsSync(other)).toBe(false)
    const another = { DATA_DIR: folder('another-log'), VAULT: other }
    await (await openCore(readSettings(another), makeLog('silent'))).close()
    expect(await told({ DATA_DIR, VAULT: other })).toBe(refused(other))
    renameSync(vault, `${vault}.kept`)
    expect(await told({ DATA_DIR })).toBe(refused(vault, isMissing))
    expect(existsSync(vault)).toBe(false)
    renameSync(`${vault}.kept`, vault)
    await open()
  })

  test('but given an unforeseen error, such as other tables in the vault, then the stack is shown', async () => {
    const VAULT = folder('other.sqlite')
    new Database(VAULT).exec('CREATE TABLE secrets (x)').close()
    const { code, errors } = await start({ DATA_DIR: folder('damaged'), VAULT, MODE: 'production' })
    expect(code).toBe(1)
    expect(errors).toMatch(/\n +at .*vault\.ts/)
  })
})

describe('a database that does not go with this Node', () => {
  /**
   * What Node prints about the module that loads the database, alone in a folder, or beside this
   * package.
   */
  const loaded = async (place: string, database?: string) => {
    const source = join(import.meta.dirname, '..', '..', 'infrastructure', 'sqlite.ts')
    const alone = join(folder(place), 'sqlite.mts')
    mkdirSync(folder(place))
    copyFileSync(source, alone)
    for (const name of database === undefined ? [] : ['better-sqlite3', 'better-sqlite3-13']) {
      const path = join(folder(place), 'node_modules', name)
      mkdirSync(path, { recursive: true })
      writeFileSync(join(path, 'index.js'), database!)
    }
    const words = ['--import', 'tsx', alone]
    const child = spawn(process.execPath, words, { stdio: ['ignore', 'ignore', 'pipe'] })
    let errors = ''
    child.stderr.setEncoding('utf8').on('data', (text) => (errors += text))
    const [code] = await once(child, 'close')
    return { code: code as number | null, errors }
  }
  const whatIsDue =
    /better-sqlite3(?:-13)?, which Node v[\d.]+ needs, cannot be loaded: run `npm ci`/

  test('given that it is not installed, then what is to be done is said', async () => {
    const { code, errors } = await loaded('without')
    expect(code).toBe(1)
    expect(errors).toMatch(whatIsDue)
  })

  test('given that it was compiled for another Node, which its first database finds out, then too', async () => {
    const compiledForAnother = `module.exports = class { constructor() { throw new Error('other ABI') } }`
    const { code, errors } = await loaded('other', compiledForAnother)
    expect(code).toBe(1)
    expect(errors).toMatch(whatIsDue)
    expect(errors).toContain('[cause]: Error: other ABI')
  })
})

test('all files of the data directory are for their owner alone, though others may look into the directory', async () => {
  const DATA_DIR = folder('open')
  mkdirSync(DATA_DIR, { mode: 0o755 })
  const { code } = await start({ DATA_DIR })
  expect(code).toBe(0)
  const files = readdirSync(DATA_DIR, { recursive: true, encoding: 'utf8' })
  expect(files.length).toBeGreaterThan(4)
  const modeOf = (file: string) => statSync(join(DATA_DIR, file)).mode & 0o077
  expect(files.filter((file) => modeOf(file) !== 0)).toEqual([])
})
