import {
  copyFileSync,
  cpSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { PNG } from 'pngjs'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import {
  authorize,
  capture,
  outcomeOf,
  runCommand,
  startShop,
  type TestShop,
} from '../support/shop-process.ts'
import { beginLog } from '../../harness/operator.ts'
import { newFolder } from '../../harness/in-process.ts'
import { readLog } from '../support/event-log.ts'
import { readSettings } from '../../infrastructure/settings.ts'

const root = newFolder()

const DATA_DIR = join(root, 'data')

let shop: TestShop

beforeAll(async () => {
  mkdirSync(DATA_DIR)
  shop = await startShop({ DATA_DIR })
})

afterAll(async () => {
  await shop.service.stop()
  rmSync(root, { recursive: true })
})

const picture = PNG.sync.write(new PNG({ width: 1, height: 1 }))

const withPicture = async (): Promise<string> => {
  const tid = await authorize(shop, { customer: '+4799999901' })
  const { attachment_uri: link } = await outcomeOf(shop.till, tid)
  const body = new FormData()
  body.append('picture', new Blob([new Uint8Array(picture)], { type: 'image/png' }))
  const { status } = await fetch(shop.service.address + link, { method: 'POST', body })
  expect(status).toBe(201)
  return tid
}

const backUp = async (name: string) => {
  const folder = join(root, name)
  const { code, output, errors } = await runCommand({ DATA_DIR }, '--json', 'backup', folder)
  expect([code, errors]).toEqual([0, ''])
  return { folder, told: JSON.parse(output) }
}

const check = (folder: string) => runCommand({ DATA_DIR: folder }, 'restore', '--check', folder)

test('given a service that takes captures, when it is backed up, then the copy is a beginning of its log, and a service on it goes on', async () => {
  const tid = await withPicture()
  const ended = new AbortController()
  const busy = (async () => {
    for (let n = 0; !ended.signal.aborted; n++)
      expect((await capture(shop.till, tid, `c${n}`, '0.01')).status).toBe(204)
  })()
  const { folder, told } = await backUp('copy')
  ended.abort()
  await busy

  const copied = await readLog(folder)
  const log = await readLog(DATA_DIR)
  expect(log.slice(0, copied.length)).toEqual(copied)
  expect(told).toMatchObject({
    events: copied.length,
    last_position: copied.at(-1)?.position,
    last_event_at: new Date(Math.max(...copied.map(({ metadata }) => metadata.at))).toISOString(),
    blobs: 1,
    keys: [
      'callback-ed25519.pem',
      'callback-rsa.pem',
      'checkpoint-ed25519.pem',
      'sandbox-admin-key.pem',
    ],
  })
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  expect(files.filter((file) => statSync(join(folder, file)).mode & 0o077)).toEqual([])

  const restored = await startShop({ DATA_DIR: folder })
  onTestFinished(async () => void (await restored.service.stop()))
  const outcome = await outcomeOf(restored.till, tid)
  expect(outcome.customer).toBe('+4799999901')
  expect((await capture(restored.till, tid, 'restored', '0.01')).status).toBe(204)
  expect(restored.keys).toEqual(shop.keys)
  const headers = {
    'X-Service-Merchant': 'sandbox',
    'X-Service-User': 'pos1',
    Authorization: 'SECRET sandbox-secret',
  }
  const attached = `${restored.service.address}/merchant/v1/payment_request/${tid}/attachment/1/`
  const shown = await fetch(attached, { headers })
  expect(Buffer.from(await shown.arrayBuffer())).toEqual(picture)
})

test('given a backup, when it is checked, then it says what it holds, and reads it alone', async () => {
  const { folder, told } = await backUp('checked')
  const before = readdirSync(folder, { recursive: true })
  const { code, output } = await check(folder)
  expect(code).toBe(0)
  expect(output).toContain(`last_event_at: ${told.last_event_at}\n`)
  expect(readdirSync(folder, { recursive: true })).toEqual(before)
})

test(
  'given a wrapped vault, then its copy stays so, and its check tries the key',
  { tags: 'night' },
  async () => {
    const place = join(root, 'wrapped')
    const key = join(root, 'vault-key')
    writeFileSync(key, randomBytes(32).toString('base64'))
    const settings = { DATA_DIR: place, VAULT_KEY_FILE: key }
    const words = ['payer', 'add', '+4790000001', '--name', 'Kari', '--pin', '4711']
    await beginLog(readSettings(settings))
    expect((await runCommand(settings, ...words)).code).toBe(0)
    const folder = join(root, 'copy-of-wrapped')
    const { output } = await runCommand(settings, '--json', 'backup', folder)
    const { vault_wrapped_by } = JSON.parse(output)
    expect(vault_wrapped_by).toMatch(/^[\da-f]{8}$/)

    const checkWith = (more: object) =>
      runCommand({ DATA_DIR: folder, ...more }, '--json', 'restore', '--check', folder)
    for (const given of [{}, { VAULT_KEY_FILE: key }]) {
      const { code, output } = await checkWith(given)
      expect([code, JSON.parse(output)]).toEqual([0, expect.objectContaining({ vault_wrapped_by })])
    }
    const wrong = join(root, 'wrong-key')
    writeFileSync(wrong, randomBytes(32).toString('hex'))
    const { code, errors } = await checkWith({ VAULT_KEY_FILE: wrong })
    expect([code, errors]).toEqual([1, expect.stringContaining(`by key ${vault_wrapped_by}`)])
    const started = await runCommand({ DATA_DIR: place }, 'status')
    expect([started.code, started.errors]).toEqual([
      1,
      `DATA_DIR="${place}": the vault is wrapped by key ${vault_wrapped_by}: ` +
        'name it with VAULT_KEY_FILE or VAULT_KEY_COMMAND\n',
    ])
  },
)

test('given a backup, when it is restored, then a service goes on there', async () => {
  const tid = await withPicture()
  const { folder, told } = await backUp('to-restore')
  const [place, BLOBS] = [join(root, 'restored'), join(root, 'restored-blobs')]
  mkdirSync(place)
  const restore = (settings: { readonly DATA_DIR: string; readonly BLOBS?: string }) =>
    runCommand(settings, '--json', 'restore', folder)
  const { code, output, errors } = await restore({ DATA_DIR: place, BLOBS })
  expect([code, errors]).toEqual([0, ''])
  expect(JSON.parse(output)).toEqual({ ...told, restored_to: place })
  const names = ['events.sqlite', 'vault.sqlite', 'sandbox-admin-key.pem']
  expect(readdirSync(place)).toEqual(expect.arrayContaining(names))
  expect(readdirSync(BLOBS)).toHaveLength(1)

  const restored = await startShop({ DATA_DIR: place, BLOBS })
  onTestFinished(async () => void (await restored.service.stop()))
  expect((await outcomeOf(restored.till, tid)).customer).toBe('+4799999901')
  expect((await capture(restored.till, tid, 'restored', '0.01')).status).toBe(204)
  for (const settings of [{ DATA_DIR: place }, { DATA_DIR: join(root, 'fresh'), BLOBS }]) {
    const refused = await restore(settings)
    expect([refused.code, refused.errors]).toEqual([1, expect.stringContaining('is not empty')])
  }
  expect(readdirSync(root)).not.toContain('fresh')
})

test('given a place where no folder can be made, then the command says so', async () => {
  const to = '/proc/nope/backup'
  for (const words of [
    ['backup', to],
    ['copy', '--from', `sqlite:${DATA_DIR}`, '--to', `sqlite:${to}`],
  ]) {
    const { code, errors } = await runCommand({ DATA_DIR }, ...words)
    expect([code, errors]).toEqual([1, expect.stringContaining('there is no such file or folder')])
  }
})

test('given a folder that is in use, then nothing is backed up there', async () => {
  const { code, errors } = await runCommand({ DATA_DIR }, 'backup', DATA_DIR)
  expect(code).toBe(1)
  expect(errors).toContain('is not empty')
})

test(
  'given a backup that lost something, when it is checked, then that is reported',
  { tags: 'night' },
  async () => {
    await withPicture()
    const { folder } = await backUp('whole')
    const problemOf = async (name: string, lose: (copy: string) => void): Promise<string> => {
      const copy = join(root, name)
      cpSync(folder, copy, { recursive: true })
      lose(copy)
      const { code, errors } = await check(copy)
      expect(code).toBe(1)
      return errors
    }
    expect(await problemOf('no-log', (copy) => rmSync(join(copy, 'events.sqlite')))).toContain(
      'events.sqlite is missing',
    )
    expect(
      await problemOf('no-blob', (copy) => {
        rmSync(join(copy, 'blobs'), { recursive: true })
        mkdirSync(join(copy, 'blobs'))
      }),
    ).toMatch(/the blob [\da-f]{64} is missing/)
    expect(
      await problemOf('no-key', (copy) => writeFileSync(join(copy, 'callback-rsa.pem'), 'none')),
    ).toContain('callback-rsa.pem contains no private key')
    const other = join(root, 'other')
    await beginLog(readSettings({ DATA_DIR: other }))
    expect(
      await problemOf('other-vault', (copy) =>
        copyFileSync(join(other, 'vault.sqlite'), join(copy, 'vault.sqlite')),
      ),
    ).toContain('the vault is not the one')
  },
)
