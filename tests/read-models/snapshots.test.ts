// @module-tag long
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { startInProcess } from '../../harness/in-process.ts'
import { openPlace } from '../../harness/ledger-service.ts'
import { makePlainLog } from '../../infrastructure/logs/log.ts'
import { operatorHere } from '../../harness/operator.ts'
import { readSettings } from '../../infrastructure/settings.ts'
import { beginFromSnapshot } from '../../infrastructure/snapshots/snapshot.ts'
import Database from '../../infrastructure/sqlite.ts'
import { openStore } from '../../infrastructure/stores.ts'
import { clockAdvanced } from '../event-store/appends.ts'
import { startProtocolPlace } from '../event-store/protocol-place.ts'

const SNAPSHOT_TOKEN = 'a token of some length'

const newFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'daybook-snapshot-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return folder
}

/** A node of a log in EventStoreDB, with a payment, that offers its read models. */
let place: Awaited<ReturnType<typeof startProtocolPlace>>

let node: Awaited<ReturnType<typeof startInProcess>>

let tid = ''

beforeAll(async () => {
  place = await startProtocolPlace()
  node = await startInProcess({ EVENT_STORE: place.url, SNAPSHOT_TOKEN, LOG_LEVEL: 'error' })
  const ask = (path: string, body: object = {}) =>
    fetch(node.address + path, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        'X-Service-Merchant': 'sandbox',
        'X-Service-User': 'pos1',
        Authorization: 'SECRET sandbox-secret',
      },
      body: JSON.stringify(body),
    })
  const about = { pos_id: 'till-1', pos_tid: '1', action: 'auth', currency: 'NOK' }
  const more = { amount: '12.50', allow_credit: false, customer: '+4799999901' }
  const made = await ask('/merchant/v1/payment_request/', { ...about, ...more })
  tid = ((await made.json()) as { id: string }).id
  await ask(`/sandbox/v1/payment_request/${tid}/accept/`)
  await node.core.caughtUp()
})

afterAll(async () => {
  await node.stop()
  rmSync(node.folder, { recursive: true })
  await place.remove()
})

const settingsIn = (DATA_DIR: string, more: object = {}) =>
  readSettings({ EVENT_STORE: place.url, SNAPSHOT_TOKEN, DATA_DIR, ...more })

const printing = (settings: ReturnType<typeof readSettings>) => {
  const daybook = operatorHere(settings)
  return async (...words: string[]) => {
    const { code, output, errors } = await daybook('--json', ...words)
    return { code, errors, told: JSON.parse(output || 'null') }
  }
}

/** The payment in the read models of a folder, and their position. */
const heldIn = (folder: string) => {
  const directory = join(folder, 'read-models')
  const [name = ''] = readdirSync(directory).filter((file) => file.endsWith('.sqlite'))
  const file = new Database(join(directory, name), { readonly: true })
  const position = file.prepare('SELECT position FROM checkpoint').pluck().get() as number
  const payment = file.prepare('SELECT count(*) FROM payments WHERE tid = ?').pluck().get(tid)
  const leftOver = file.prepare("SELECT count(*) FROM sqlite_schema WHERE name = 'snapshot'")
  const held = { position, payment, leftOver: leftOver.pluck().get() }
  file.close()
  return held
}

test('a node starts from a snapshot taken from a running one', async () => {
  const folder = newFolder()
  const file = join(newFolder(), 'snapshot.sqlite')
  const before = node.core.readModels.position()
  const { told } = await printing(settingsIn(node.folder))('snapshot', 'take', file)
  const { position } = told as { readonly position: number }
  // The node may continue meanwhile.
  expect(position).toBeGreaterThanOrEqual(before)
  expect(position).toBeLessThanOrEqual(node.core.readModels.position())
  const used = await printing(settingsIn(folder))('snapshot', 'use', file)
  expect(used).toMatchObject({ code: 0, told: { position } })
  expect(heldIn(folder)).toEqual({ position, payment: 1, leftOver: 0 })
  expect(existsSync(file)).toBe(true)
})

test('a new node fetches the read models of one that offers them', async () => {
  const folder = newFolder()
  const SNAPSHOT_FROM = node.metricsAddress
  await beginFromSnapshot(settingsIn(folder, { SNAPSHOT_FROM }), makePlainLog())
  const position = node.core.readModels.position()
  expect(heldIn(folder)).toEqual({ position, payment: 1, leftOver: 0 })
  expect(readdirSync(join(node.folder, 'read-models')).join()).not.toContain('building')
})

test('given a wrong token, then the node hands over nothing, and says so in its log', async () => {
  const headers = { Authorization: 'Bearer another token' }
  const refused = await fetch(`${node.metricsAddress}/read-models`, { headers })
  expect(refused.status).toBe(401)
  const folder = newFolder()
  const more = { SNAPSHOT_FROM: node.metricsAddress, SNAPSHOT_TOKEN: 'a wrong token, but long' }
  await beginFromSnapshot(settingsIn(folder, more), makePlainLog())
  expect(readdirSync(join(folder, 'read-models'))).toEqual([])
})

test('a snapshot of another log is refused', async () => {
  const shop = await openPlace()
  await shop.authorize({ amount: '10.00' })
  await shop.stop()
  onTestFinished(shop.remove)
  const file = join(newFolder(), 'snapshot.sqlite')
  await printing(readSettings({ DATA_DIR: shop.directory }))('snapshot', 'take', file)
  const folder = newFolder()
  const { code, errors } = await printing(settingsIn(folder))('snapshot', 'use', file)
  expect([code, errors]).toEqual([1, expect.stringContaining('the snapshot is of another log')])
  expect(readdirSync(join(folder, 'read-models'))).toEqual([])
})

test('a snapshot of another version, and a file that is none, are refused', async () => {
  const file = join(newFolder(), 'snapshot.sqlite')
  await printing(settingsIn(node.folder))('snapshot', 'take', file)
  const snapshot = new Database(file)
  snapshot.exec("UPDATE snapshot SET fingerprint = '0123456789abcdef'")
  snapshot.close()
  const use = printing(settingsIn(newFolder()))
  expect(await use('snapshot', 'use', file)).toMatchObject({
    code: 1,
    errors: expect.stringContaining('another version of daybook'),
  })
  expect(await use('snapshot', 'use', 'package.json')).toMatchObject({
    code: 1,
    errors: expect.stringContaining('is not a snapshot of read models'),
  })
})

test('given a log without read models, then there is nothing to take', async () => {
  const DATA_DIR = newFolder()
  const store = await openStore({ EVENT_STORE: 'sqlite', DATA_DIR })
  await store.append('clock-a', [clockAdvanced(1)], -1)
  await store.close()
  const { code, errors } = await printing(readSettings({ DATA_DIR }))('snapshot', 'take', 'x')
  expect([code, errors]).toEqual([1, expect.stringContaining('start the service once')])
})
