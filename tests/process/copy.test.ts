import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { makeAuditedLog } from '../../bench/histories.ts'
import { startService } from '../support/http-service.ts'
import { openPlace } from '../../harness/ledger-service.ts'
import { operatorHere } from '../../harness/operator.ts'
import { startCommand } from '../../harness/service-process.ts'
import { noStream } from '../../application/event-store.ts'
import { connectEventStoreDB } from '../../infrastructure/event-store/eventstoredb-event-store.ts'
import { openSqliteEventStore } from '../../infrastructure/event-store/sqlite-event-store.ts'
import { readSettings } from '../../infrastructure/settings.ts'
import { openStoreToRead } from '../../infrastructure/stores.ts'
import { clockAdvanced, newEvent } from '../event-store/appends.ts'
import { compareReadModels, copy, emptyServer, newFolder, rowsIn, treeOf } from './copied-log.ts'

/** 2,000 payments in progress, with callbacks and checkpoints. */
let large = ''

/** 400 events in 40 interleaved streams. */
let many = ''

/** A payment, a report and a settlement. */
let shop = ''

let tid = ''

beforeAll(async () => {
  large = await makeAuditedLog(2_000, () => {})
  many = mkdtempSync(join(tmpdir(), 'daybook-copy-'))
  const store = openSqliteEventStore(join(many, 'events.sqlite'))
  for (let revision = -1; revision < 9; revision += 1)
    for (let stream = 0; stream < 40; stream += 1)
      await store.append(`clock-${stream}`, [clockAdvanced(stream)], revision)
  await store.close()
  const place = await openPlace()
  shop = place.directory
  tid = await place.authorize({ amount: '100.00' })
  await place.capture(tid, { capture_id: 'a', amount: '40.00', currency: 'NOK' })
  await place.close(1)
  await place.sandbox('settlement/', { merchant: 'sandbox' })
  await place.stop()
})

afterAll(() => [large, many, shop].forEach((folder) => rmSync(folder, { recursive: true })))

const storeIn = async (DATA_DIR: string) => {
  const store = await openStoreToRead({ EVENT_STORE: 'sqlite', DATA_DIR })
  onTestFinished(() => store.close())
  return store
}

test(
  'a log that is copied to EventStoreDB and back is the same, row by row',
  { tags: 'night' },
  async () => {
    const { url } = await emptyServer()
    const back = newFolder()
    const there = await copy(`sqlite:${large}`, url)
    const { size, root } = await treeOf({ DATA_DIR: large })
    expect(there).toMatchObject({ code: 0, told: { events: size, copied: size, root } })
    expect(size).toBeGreaterThan(2_000)
    expect(await treeOf({ DATA_DIR: newFolder(), EVENT_STORE: url })).toEqual({ size, root })

    expect(await copy(url, `sqlite:${back}`)).toMatchObject({ told: { copied: size, root } })
    expect(rowsIn(back)).toEqual(rowsIn(large))
    const compared = await compareReadModels(await storeIn(large), await storeIn(back))
    expect(compared).toEqual({ rows: expect.any(Number), difference: undefined })
    expect(compared.rows).toBeGreaterThan(2_000)
  },
)

test('in another folder, each event has the time at which it was first written', async () => {
  const folder = newFolder()
  await copy(`sqlite:${shop}`, `sqlite:${folder}`)
  expect(rowsIn(folder, ', recorded')).toEqual(rowsIn(shop, ', recorded'))
})

test('a copy of a log in EventStoreDB has the times at which the node wrote', async () => {
  const { url } = await emptyServer()
  const store = connectEventStoreDB(url)
  await store.append('clock-a', [clockAdvanced(1)], noStream)
  const [event] = await store.readStream('clock-a')
  await store.close()
  const folder = newFolder()
  await copy(url, `sqlite:${folder}`)
  expect(rowsIn(folder, ', recorded')).toMatchObject([{ recorded: event?.recordedAt }])
})

test('a service on a copied log answers the same, and an audit finds nothing', async () => {
  const { url } = await emptyServer()
  const folder = newFolder()
  cpSync(shop, folder, { recursive: true })
  await copy(`sqlite:${shop}`, url)
  rmSync(join(folder, 'events.sqlite'))
  const [before, after] = [await openPlace(shop), await startService({ EVENT_STORE: url }, folder)]
  onTestFinished(() => after.stop(false))
  const path = `/merchant/v1/payment_request/${tid}/outcome/`
  const { report_uri, attachment_uri, ...wanted } = await before.get(path)
  await before.stop()
  const { status, body } = await after.pos1('GET', path)
  expect({ status, body }).toMatchObject({ status: 200, body: wanted })
  const settings = readSettings({ DATA_DIR: folder, EVENT_STORE: url })
  const { code, output } = await operatorHere(settings)('audit', 'verify')
  expect([code, output]).toEqual([0, expect.stringContaining('This log holds: nothing is wrong.')])
})

test('a killed copy continues when run again, and is complete', { tags: 'night' }, async () => {
  const { url } = await emptyServer()
  const words = ['copy', '--from', `sqlite:${many}`, '--to', url]
  const child = startCommand(words, { DATA_DIR: newFolder() })
  const target = connectEventStoreDB(url)
  onTestFinished(() => target.close())
  while ((await target.head()) === 0);
  child.kill('SIGKILL')
  await once(child, 'exit')
  const { size, root } = await treeOf({ DATA_DIR: many })
  const { told } = await copy(`sqlite:${many}`, url)
  expect(told).toMatchObject({ events: size, root })
  expect(told.already_there).toBeGreaterThan(0)
})

test('of a log that has grown, only what is new is copied', async () => {
  const [from, to] = [newFolder(), newFolder()]
  const store = openSqliteEventStore(join(from, 'events.sqlite'))
  onTestFinished(() => store.close())
  await store.append('clock-a', [clockAdvanced(1), clockAdvanced(2)], noStream)
  expect(await copy(`sqlite:${from}`, `sqlite:${to}`)).toMatchObject({ told: { copied: 2 } })
  await store.append('clock-a', [clockAdvanced(3)], 1)
  expect(await copy(`sqlite:${from}`, `sqlite:${to}`)).toMatchObject({
    told: { events: 3, already_there: 2, copied: 1 },
  })
})

test('when a node goes away and comes back, the copy goes on', { tags: 'night' }, async () => {
  const place = await emptyServer()
  const target = connectEventStoreDB(place.url)
  onTestFinished(() => target.close())
  const copied = copy(`sqlite:${many}`, place.url)
  while ((await target.head()) === 0);
  await place.stop()
  await place.startAgain()
  expect(await copied).toMatchObject({ code: 0, told: { events: rowsIn(many).length } })
})

test.each([
  ['another log', 'clock-b', 'its event 1 is ClockAdvanced, revision 0 of clock-b, that of'],
  ['more of it', 'clock-a', 'has fewer. Copy into an empty place'],
])('a target that holds %s is refused', async (_, stream, told) => {
  const [from, to] = [newFolder(), newFolder()]
  const [first, second] = [clockAdvanced(1), clockAdvanced(2)]
  for (const [folder, name] of [
    [from, 'clock-a'],
    [to, stream],
  ] as const) {
    const store = openSqliteEventStore(join(folder, 'events.sqlite'))
    await store.append(name, [first], noStream)
    if (folder === to) await store.append(name, [second], 0)
    await store.close()
  }
  const { code, errors } = await copy(`sqlite:${from}`, `sqlite:${to}`)
  expect([code, errors]).toEqual([1, expect.stringContaining(told)])
  expect(rowsIn(to)).toHaveLength(2)
})

test('events of other applications are refused, unless the operator says so', async () => {
  const { url } = await emptyServer()
  const theirs = connectEventStoreDB(url)
  await theirs.append('orders-1', [newEvent()], noStream)
  await theirs.close()
  const from = `sqlite:${shop}`
  const { code, errors } = await copy(from, url)
  expect([code, errors]).toEqual([1, expect.stringContaining('Counted, revision 0 of orders-1')])
  expect(await copy(from, url, '--beside-others')).toMatchObject({
    code: 0,
    told: { already_there: 0, events: rowsIn(shop).length },
  })
})

test.each([
  ['sqlite:/nowhere/at/all', 'esdb://127.0.0.1:1', 'there is no log in it'],
  ['mysql://there', 'esdb://127.0.0.1:1', '--from: give sqlite:<folder>, or a connection string'],
  ['shop', 'shop', '--from and --to are the same log'],
])('from %s to %s: the command says %s', async (from, to, told) => {
  const place = (name: string) => (name === 'shop' ? `sqlite:${shop}` : name)
  const { code, errors } = await copy(place(from), place(to))
  expect([code, errors]).toEqual([1, expect.stringContaining(told)])
})
