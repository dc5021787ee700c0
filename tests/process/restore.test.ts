import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  truncateSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import Database from '../../infrastructure/sqlite.ts'
import {
  advance,
  authorize,
  capture,
  outcomeOf,
  pathOf,
  requestPayment,
  runCommand,
  startShop,
  type TestShop,
} from '../support/shop-process.ts'
import { readLog } from '../support/event-log.ts'
import { newFolder } from '../../harness/in-process.ts'

test(
  'a log that is restored under read models of more is not used until that is accepted; then it is shown as it is, and all that comes after it',
  { tags: 'night' },
  async () => {
    const DATA_DIR = newFolder()
    const log = join(DATA_DIR, 'events.sqlite')
    const before = await startShop({ DATA_DIR })
    onTestFinished(async () => {
      await before.service.stop()
      rmSync(DATA_DIR, { recursive: true })
    })
    const kept = await authorize(before)
    const reading = new Database(log, { readonly: true })
    await reading.backup(`${log}.copy`)
    reading.close()
    const lost = [await authorize(before), await authorize(before), await authorize(before)]
    await advance(before.world, 0)
    expect(await before.service.stop()).toBe(0)

    for (const part of ['', '-wal', '-shm']) rmSync(log + part, { force: true })
    renameSync(`${log}.copy`, log)
    // As an operator may keep the old ones, to be safe.
    mkdirSync(join(DATA_DIR, 'read-models', 'read-models-backup'))
    for (const words of [['serve'], ['status']]) {
      const refused = await runCommand({ DATA_DIR, PORT: '0' }, ...words)
      expect([refused.code, refused.output]).toEqual([1, ''])
      expect(refused.errors).toContain(`DATA_DIR="${DATA_DIR}": it ends at position `)
      expect(refused.errors).toContain('run `daybook restore --accept`')
    }
    const accepted = await runCommand({ DATA_DIR }, '--json', 'restore', '--accept')
    expect(accepted.code).toBe(0)
    const again = await runCommand({ DATA_DIR }, '--json', 'restore', '--accept')
    expect([again.code, again.errors]).toEqual([
      1,
      'the log holds every event that was seen: there is no loss to accept\n',
    ])
    const recorded = (await readLog(DATA_DIR)).at(-1)
    expect(recorded).toMatchObject({
      type: 'LossAccepted',
      data: {
        end: JSON.parse(accepted.output).last_position,
        seen: { position: JSON.parse(accepted.output).lost_position },
      },
    })
    const { output } = await runCommand({ DATA_DIR }, '--json', 'status')
    const { log_position, read_models_position } = JSON.parse(output)
    expect(read_models_position).toBe(log_position)

    const after = await startShop({ DATA_DIR })
    onTestFinished(async () => void (await after.service.stop()))
    const statusOf = async (tid: string) => (await after.till('GET', pathOf(tid))).status
    expect(await statusOf(kept)).toBe(200)
    for (const tid of lost) expect(await statusOf(tid)).toBe(404)
    const tid = await authorize(after)
    expect(await statusOf(tid)).toBe(200)
    expect((await outcomeOf(after.till, tid)).status).toBe('auth')
    expect(await after.service.stop()).toBe(0)
    const left = readdirSync(join(DATA_DIR, 'read-models'))
    const readModels = left.filter((name) => name !== 'read-models-backup')
    expect(readModels).toEqual([expect.stringMatching(/-2\.sqlite$/)])
    expect(left).toHaveLength(2)
  },
)

test('a log that is moved away takes nothing: readiness and metrics say so, until it is back and something is taken', async () => {
  const DATA_DIR = newFolder()
  const log = join(DATA_DIR, 'events.sqlite')
  const { service, till, world } = await startShop({ DATA_DIR })
  onTestFinished(async () => {
    await service.stop()
    rmSync(DATA_DIR, { recursive: true })
  })
  const ask = (path: string) => fetch(service.address + path)
  const metric = async () =>
    /^daybook_store_up (\d)$/m.exec(await (await ask('/metrics')).text())?.[1]
  const says = async () => [(await ask('/health/ready')).status, await metric()]
  const tid = await authorize({ till, world })
  expect(await says()).toEqual([200, '1'])

  renameSync(log, `${log}.moved`)
  expect((await capture(till, tid, 'while-it-is-away')).status).toBe(503)
  expect(await says()).toEqual([503, '0'])
  expect(await (await ask('/health/ready')).json()).toMatchObject({
    error_description: 'The log of events cannot be used just now.',
  })
  expect((await ask('/health/live')).status).toBe(200)
  // Reading appends nothing.
  expect((await outcomeOf(till, tid)).status).toBe('auth')

  renameSync(`${log}.moved`, log)
  expect((await capture(till, tid, 'while-it-is-away')).status).toBe(204)
  expect(await says()).toEqual([200, '1'])
})

test('a vault that cannot be read shows in readiness, metrics and the log', async () => {
  const DATA_DIR = newFolder()
  const { service, till, world } = await startShop({ DATA_DIR })
  onTestFinished(async () => {
    await service.stop()
    rmSync(DATA_DIR, { recursive: true })
  })
  await authorize({ till, world })
  truncateSync(join(DATA_DIR, 'vault.sqlite'))
  await expect(requestPayment(till, { customer: '+4740000001' })).rejects.toThrow('store')
  expect((await fetch(`${service.address}/health/ready`)).status).toBe(503)
  expect(await (await fetch(`${service.address}/metrics`)).text()).toContain('daybook_store_up 0')
  expect([...service.errors].join('')).toContain('the vault cannot be read just now')
})

/** Overwrites the first page of a table and of each of its indexes. */
const damage = (file: string, table: string): void => {
  const reading = new Database(file, { readonly: true })
  const roots = 'SELECT rootpage FROM sqlite_schema WHERE tbl_name = ? AND rootpage > 0'
  const pages = reading.prepare(roots).pluck().all(table) as number[]
  reading.close()
  const damaging = openSync(file, 'r+')
  for (const page of pages)
    writeSync(damaging, Buffer.alloc(4096, 0xff), 0, 4096, (page - 1) * 4096)
  closeSync(damaging)
}

/** Waits while the service restarts. */
const untilReady = async ({ till }: TestShop): Promise<void> => {
  const status = () =>
    till('GET', '/health/ready').then(
      ({ status }) => status,
      () => 0,
    )
  while ((await status()) !== 200) await nextTurn()
}

test(
  'read models whose damage is found by background work are replaced at once',
  { tags: 'night' },
  async () => {
    const DATA_DIR = newFolder()
    const folder = join(DATA_DIR, 'read-models')
    onTestFinished(() => rmSync(DATA_DIR, { recursive: true }))
    const before = await startShop({ DATA_DIR })
    expect(await before.service.stop()).toBe(0)
    const [name = ''] = readdirSync(folder)
    const file = join(folder, name)
    damage(file, 'callback_queue')

    const damaged = await startShop({ DATA_DIR })
    while (!existsSync(`${file}-damaged`)) await nextTurn()
    await untilReady(damaged)
    expect(await damaged.service.stop()).toBe(0)
    expect(readdirSync(folder)).toEqual([expect.stringMatching(/-2\.sqlite$/)])
  },
)

test(
  'read models whose damage shows when they are folded into are left for new ones at once',
  { tags: 'night' },
  async () => {
    const DATA_DIR = newFolder()
    const folder = join(DATA_DIR, 'read-models')
    onTestFinished(() => rmSync(DATA_DIR, { recursive: true }))
    const before = await startShop({ DATA_DIR })
    const tid = await authorize(before)
    await capture(before.till, tid, 'a')
    await advance(before.world, 0)
    expect(await before.service.stop()).toBe(0)

    const [name = ''] = readdirSync(folder)
    const file = join(folder, name)
    damage(file, 'journal_balances')

    const damaged = await startShop({ DATA_DIR })
    await capture(damaged.till, tid, 'b')
    while (!existsSync(`${file}-damaged`)) await nextTurn()
    await untilReady(damaged)
    await advance(damaged.world, 0)
    const { captures } = await outcomeOf(damaged.till, tid)
    expect(captures.map(({ id }: { id: string }) => id)).toEqual(['a', 'b'])
    expect(await damaged.service.stop()).toBe(0)
    expect(readdirSync(folder)).toEqual([expect.stringMatching(/-2\.sqlite$/)])
  },
)
