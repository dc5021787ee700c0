import { randomUUID } from 'node:crypto'
import {
  closeSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { noStream, start } from '../../application/event-store.ts'
import { openSqliteEventStore } from '../../infrastructure/event-store/sqlite-event-store.ts'
import { readSettings } from '../../infrastructure/settings.ts'
import Database from '../../infrastructure/sqlite.ts'
import { openStoreToRead } from '../../infrastructure/stores.ts'
import { beginLog, operatorHere } from '../../harness/operator.ts'
import { newFolder, withProduction } from '../../harness/in-process.ts'
import { startProtocolPlace } from '../event-store/protocol-place.ts'
import { readLog } from '../support/event-log.ts'

const settings = readSettings(withProduction({ DATA_DIR: newFolder(), MODE: 'production' }))

const daybook = operatorHere(settings)

beforeAll(async () => {
  await beginLog(settings)
  await daybook('merchant', 'add', 'harbour', '--name', 'Harbour Bar', '--currency', 'NOK')
})

afterAll(() => rmSync(settings.DATA_DIR, { recursive: true }))

/** The error message of a command that does nothing. */
const refusal = async (...words: string[]): Promise<string> => {
  const { code, output, errors } = await daybook(...words)
  expect([code, output]).toEqual([1, ''])
  return errors
}

/** A folder with a copy of the log, as in a backup. */
const copyOfLog = async (): Promise<string> => {
  const DATA_DIR = `${settings.DATA_DIR}-copy`
  mkdirSync(DATA_DIR)
  onTestFinished(() => rmSync(DATA_DIR, { recursive: true }))
  const log = new Database(join(settings.DATA_DIR, 'events.sqlite'))
  await log.backup(join(DATA_DIR, 'events.sqlite'))
  log.close()
  return DATA_DIR
}

const missing = '/nonexistent cannot be read: there is no such file or folder\n'

test.each([
  ['user', 'add', 'harbour', 'pos1', '--pubkey', '/nonexistent'],
  ['merchant', 'logo', 'harbour', '/nonexistent'],
  ['integrator', 'add', 'till-maker', '--name', 'Till maker', '--pubkey', '/nonexistent'],
])(
  'given a file that does not exist, when %s %s names it, then that is told in one line',
  async (...words) => {
    expect(await refusal(...words)).toBe(missing)
  },
)

test('given a folder instead of a file, then that is reported', async () => {
  expect(await refusal('merchant', 'logo', 'harbour', '/tmp')).toBe(
    '/tmp cannot be read: it is a folder\n',
  )
})

test.each([
  ['merchant', 'add', 'quay', '--currency', 'NOK', '--name', ''],
  ['merchant', 'change', 'harbour', '--name', ' '],
  ['app', 'add', 'harbour', '--redirect-uri', 'https://harbour.example/back', '--name', ''],
])('given no name, when %s %s is asked for, then it is refused', async (...words) => {
  expect(await refusal(...words)).toBe('a name has at least one non-blank character\n')
})

test('given an id or a secret that the interface refuses, when a user is added, then it is refused here too', async () => {
  const add = (id: string, secret: string) =>
    refusal('user', 'add', 'harbour', id, '--secret', secret)
  for (const id of ['bad/id', '..', 'é', 'x'.repeat(101)])
    expect(await add(id, 'a long secret')).toBe(
      'a user id has letters, digits and _ . @ -, at most 100, and is not . or ..\n',
    )
  for (const secret of ['seven77', ' a long secret', 'ein Geheimnis für uns'])
    expect(await add('pos1', secret)).toBe(
      'a secret has 8 to 64 characters of printable ASCII, without blanks around it\n',
    )
  const users = (await readLog(settings.DATA_DIR)).filter(({ type }) => type === 'UserRegistered')
  expect(users).toEqual([])
})

test('addresses and names that the interface refuses are refused by commands too', async () => {
  const uri = 'https://till:word@harbour.example/hook'
  expect(await refusal('merchant', 'change', 'harbour', '--callback-uri', uri)).toBe(
    'a callback URI, or none: Must have no user, password or fragment.\n',
  )
  const add = (name: string, count: number) => {
    const uris = Array.from({ length: count }, (_, index) => `https://harbour.example/${index}`)
    const options = uris.flatMap((one) => ['--redirect-uri', one])
    return refusal('app', 'add', 'harbour', '--name', name, ...options)
  }
  expect(await add('x'.repeat(101), 1)).toBe('a name has at most 100 characters\n')
  expect(await add('Till', 21)).toBe('an application has at most 20 redirect URIs\n')
})

test('given a cashier for a till that is not there, then that is reported', async () => {
  const cashier = ['--role', 'cashier', '--pos', 'till-9']
  const told = await refusal('staff', 'add', 'harbour', '+4799999901', ...cashier)
  expect(told).toBe('harbour has no point of sale till-9\n')
})

test('given a user that is there, when it is added again, then nothing happens, and with other data it is refused', async () => {
  const words = ['user', 'add', 'harbour', 'again', '--secret', 'a long secret']
  const added = await daybook(...words)
  expect(added).toMatchObject({ code: 0, errors: '' })
  expect(await daybook(...words)).toEqual(added)
  const refused = 'harbour has a user again already, with other credentials or roles\n'
  expect(await refusal('user', 'add', 'harbour', 'again', '--secret', 'another secret')).toBe(
    refused,
  )
  expect(await refusal(...words, '--superuser')).toBe(refused)
  const users = (await readLog(settings.DATA_DIR)).filter(({ stream }) => stream.endsWith('/again'))
  expect(users.map(({ type }) => type)).toEqual(['UserRegistered'])
})

test('given an unknown command, then that is reported, whatever follows it', async () => {
  expect(await refusal('nosuch')).toMatch(/^there is no command nosuch\n/)
  expect(await refusal('serve', '--prot', '80')).toMatch(/^there is no option --prot\n/)
  expect(await refusal('nosuch', 'add', '--name', 'x')).toMatch(/^there is no command nosuch\n/)
})

test('given an unknown stream, position or payer, when an auditor asks for it, then that is reported', async () => {
  expect(await refusal('audit', 'events', '--stream', 'nosuch')).toBe('there is no stream nosuch\n')
  expect(await refusal('audit', 'events', '--after', 'abc')).toBe(
    'abc is not a position in the log\n',
  )
  expect(await refusal('audit', 'consents', 'nosuch')).toBe('there is no payer nosuch\n')
  expect(await refusal('audit', 'consents', 'nosuch', '--at', 'noon')).toBe(
    'noon is not a time as YYYY-MM-DD, or YYYY-MM-DD hh:mm:ss, in UTC\n',
  )
})

test('given a secret or a PIN in a file, then it need not be an argument', async () => {
  const file = join(settings.DATA_DIR, 'secret.txt')
  writeFileSync(file, 'a filed secret\n')
  const added = await daybook('user', 'add', 'harbour', 'filed', '--secret-file', file)
  expect(added).toMatchObject({ code: 0, errors: '' })
  const again = ['user', 'add', 'harbour', 'filed']
  expect(await daybook(...again, '--secret', 'a filed secret')).toEqual(added)
  expect(await refusal(...again, '--secret-file', file, '--secret', 'x')).toBe(
    'give the secret once\n',
  )
  expect(await refusal('user', 'add', 'harbour', 'nobody')).toBe(
    'give --secret-file (- is standard input), --pubkey or both\n',
  )
  const payer = ['payer', 'add', '+4741234599', '--name', 'Kari']
  expect(await refusal(...payer)).toBe('give --pin-file (- is standard input)\n')
  writeFileSync(file, '1793\r\n')
  expect(await daybook(...payer, '--pin-file', file)).toMatchObject({ code: 0, errors: '' })
})

test.each(['1111', '0000', '1234', '4321', '7890', '012345', '10987'])(
  'given the PIN %s, which is tried first, when a payer is added, then it is refused',
  async (pin) => {
    const words = ['payer', 'add', '+4741234567', '--name', 'Kari', '--pin', pin]
    expect(await refusal(...words)).toBe(
      'a PIN has 4 to 12 digits, and is neither one repeated digit nor a sequence such as 1234\n',
    )
  },
)

test('given an invalid national id, when a payer is added, then that is reported', async () => {
  const words = ['payer', 'add', '+4741234567', '--name', 'Kari', '--pin', '4711']
  expect(await refusal(...words, '--national-id', '123')).toBe('a national id has 11 digits\n')
})

test('given a payer who has consented to nothing, and a position at the end, then nothing is printed, and that is right', async () => {
  const person = ['--name', 'Kari Nordmann', '--pin', '4711']
  const added = await daybook('--json', 'payer', 'add', '+4741234567', ...person)
  const { id } = JSON.parse(added.output)
  const nothing = { code: 0, output: '', errors: '' }
  expect(await daybook('audit', 'consents', id)).toEqual(nothing)
  const end = (await readLog(settings.DATA_DIR)).at(-1)!.position
  expect(await daybook('audit', 'events', '--after', String(end))).toEqual(nothing)
})

test('given events of which a part is read by nobody, or all, when an auditor prints them, then they are printed as they stand', async () => {
  const DATA_DIR = await copyOfLog()
  const [registered] = (await readLog(DATA_DIR)).filter(({ type }) => type === 'MerchantRegistered')
  const { data, metadata } = registered!
  const stream = 'merchant-copied'
  const told = {
    type: 'MerchantRegistered',
    data: { ...data, more: [1] },
    metadata: { ...metadata, more: 2 },
  }
  const unknown = { type: 'Noted', data: { text: 'x' }, metadata: {} }
  const store = openSqliteEventStore(join(DATA_DIR, 'events.sqlite'))
  const events = [told, unknown].map((event) => ({ ...event, id: randomUUID() }))
  const { position } = await store.append(stream, events, noStream)
  await store.close()
  const stands = events.map((event, revision) => ({
    ...event,
    stream,
    revision,
    position: position - 1 + revision,
  }))
  const after = String(position - 2)
  for (const words of [
    ['--after', after],
    ['--stream', stream],
  ]) {
    const { code, output, errors } = await operatorHere(readSettings({ DATA_DIR }))(
      'audit',
      'events',
      ...words,
    )
    const printed = output
      .trimEnd()
      .split('\n')
      .map((line): unknown => JSON.parse(line))
    expect(printed).toEqual(stands)
    const whichOne = `event ${position}, Noted in ${stream}`
    expect([code, errors]).toEqual([
      1,
      `${whichOne}, cannot be read: this version knows no such type\n`,
    ])
  }
})

const noLog =
  'there is no log in it: no service was ever started there. ' +
  'Give a command the settings of the service; `daybook serve` makes a log\n'

test.each([
  ['status'],
  ['audit', 'events'],
  ['merchant', 'list'],
  ['rebuild'],
  ['merchant', 'add', 'quay', '--name', 'Quay', '--currency', 'NOK'],
  ['merchant', 'add', 'quay', '--name', 'Quay', '--currency', 'XYZ'],
  ['user', 'add', 'quay', 'pos1', '--secret', 'a long secret'],
  ['payer', 'add', '+4741234567', '--name', 'Kari', '--pin', '4711'],
  ['sticker', 'add', 'A-001'],
  ['restore', '--accept'],
  ['trigger', 'payment_authorized'],
  ['key', 'rotate'],
])(
  'given a folder without a log, when %s %s is asked for, then that is told, and none is begun',
  async (...words) => {
    const DATA_DIR = `${settings.DATA_DIR}-mistyped`
    const { code, output, errors } = await operatorHere(readSettings({ DATA_DIR }))(...words)
    expect([code, output]).toEqual([1, ''])
    expect(errors).toBe(`DATA_DIR="${DATA_DIR}": ${noLog}`)
    expect(existsSync(DATA_DIR)).toBe(false)
  },
)

describe('given a database without a log of ours', () => {
  test.each([true, false])(
    'when a merchant is added (the folder is there: %s), then none is begun',
    async (isThere) => {
      const place = await startProtocolPlace()
      onTestFinished(place.remove)
      const DATA_DIR = `${settings.DATA_DIR}-of-node`
      if (isThere) mkdirSync(DATA_DIR)
      onTestFinished(() => rmSync(DATA_DIR, { recursive: true, force: true }))
      const given = readSettings({ DATA_DIR, EVENT_STORE: place.url })
      const words = ['merchant', 'add', 'quay', '--name', 'Quay', '--currency', 'NOK']
      const { code, errors } = await operatorHere(given)(...words)
      expect([code, errors]).toEqual([1, `EVENT_STORE="${place.url}": ${noLog}`])
      expect(existsSync(DATA_DIR)).toBe(isThere)
      const store = await openStoreToRead(given)
      onTestFinished(store.close)
      expect(await store.head()).toBe(start)
    },
  )
})

test('given a log of production, then a command without its MODE changes nothing', async () => {
  const before = await readLog(settings.DATA_DIR)
  const { code, errors } = await operatorHere({ ...settings, MODE: 'sandbox' })(
    ...['merchant', 'add', 'quay', '--name', 'Quay', '--currency', 'NOK'],
  )
  expect([code, errors]).toEqual([
    1,
    expect.stringContaining(`MODE="sandbox": the log of DATA_DIR="${settings.DATA_DIR}" is one of`),
  ])
  expect(await readLog(settings.DATA_DIR)).toEqual(before)
})

describe('given a folder whose log is lost, though its vault or its read models are there', () => {
  const folderOf = (...names: readonly string[]): string => {
    const DATA_DIR = mkdtempSync(join(tmpdir(), 'daybook-lost-'))
    onTestFinished(() => rmSync(DATA_DIR, { recursive: true }))
    for (const name of names)
      cpSync(join(settings.DATA_DIR, name), join(DATA_DIR, name), { recursive: true })
    return DATA_DIR
  }
  const adding = ['merchant', 'add', 'other', '--name', 'Other', '--currency', 'NOK']

  test.each([
    ['vault.sqlite', adding],
    ['vault.sqlite', ['status']],
    ['read-models', adding],
    ['read-models', ['audit', 'check']],
  ])('when only %s is there, then nothing is begun anew by %s', async (left, words) => {
    const DATA_DIR = folderOf(left)
    const { code, output, errors } = await operatorHere(readSettings({ DATA_DIR }))(...words)
    expect([code, output]).toEqual([1, ''])
    expect(errors).toBe(
      `DATA_DIR="${DATA_DIR}": its log, events.sqlite, is missing, though ${left} is there: ` +
        'put it back, or begin in an empty folder\n',
    )
    expect(readdirSync(DATA_DIR)).toEqual([left])
  })

  test('when the file of the log is empty, then it stays so', async () => {
    const DATA_DIR = folderOf('vault.sqlite')
    const log = join(DATA_DIR, 'events.sqlite')
    writeFileSync(log, '')
    const { code, errors } = await operatorHere(readSettings({ DATA_DIR }))(...adding)
    expect([code, errors]).toEqual([1, expect.stringContaining('is missing')])
    expect(readFileSync(log, 'utf8')).toBe('')
  })
})

describe('the check of a log', () => {
  test('given a file in which an index is damaged, then it says so', async () => {
    const DATA_DIR = await copyOfLog()
    const copy = join(DATA_DIR, 'events.sqlite')
    const log = new Database(copy)
    const page = Number(
      log
        .prepare("SELECT rootpage FROM sqlite_schema WHERE tbl_name = 'streams' AND type = 'index'")
        .pluck()
        .get(),
    )
    log.close()
    const file = openSync(copy, 'r+')
    writeSync(file, Buffer.alloc(4096, 1), 0, 4096, (page - 1) * 4096)
    closeSync(file)
    const onCopy = operatorHere(readSettings({ DATA_DIR }))
    const { code, output, errors } = await onCopy('audit', 'check')
    expect(code).toBe(1)
    expect(JSON.parse(output)).toMatchObject({ gaps: 0, damage: 1 })
    expect(errors).toBe('database disk image is malformed\n')
    // Log lines in between are plain text too.
    expect(await onCopy('status')).toEqual({
      code: 1,
      output: '',
      errors:
        'the log of events cannot be read just now: database disk image is malformed\n' +
        `DATA_DIR="${DATA_DIR}": the log cannot be used: database disk image is malformed\n`,
    })
  })

  test('given a log that is whole, then it counts what is there', async () => {
    const events = await readLog(settings.DATA_DIR)
    const { code, output, errors } = await daybook('audit', 'check')
    expect([code, errors]).toEqual([0, ''])
    expect(JSON.parse(output)).toEqual({
      events: events.length,
      streams: new Set(events.map(({ stream }) => stream)).size,
      last_position: events.length,
      gaps: 0,
      damage: 0,
    })
  })

  test('given a copy from which somebody has taken events, then it names the gaps', async () => {
    const DATA_DIR = await copyOfLog()
    const copy = new Database(join(DATA_DIR, 'events.sqlite'))
    copy.exec('DROP TRIGGER events_are_not_deleted; DELETE FROM events WHERE position = 1')
    copy.close()
    const { code, errors } = await operatorHere(readSettings({ DATA_DIR }))('audit', 'check')
    expect(code).toBe(1)
    expect(errors).toBe(
      'positions 1 to 1 are missing\n' +
        'installation-daybook has revision 1 at position 2, not 0\n',
    )
  })

  test('writes nothing, so that it does for a log that may only be read', async () => {
    const store = await openStoreToRead(settings)
    const event = { id: randomUUID(), type: 'Noted', data: {}, metadata: {} }
    await expect(store.append('a', [event], noStream)).rejects.toThrow('readonly')
    await store.close()
  })
})
