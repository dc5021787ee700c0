import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import { fetchCallbackKeys } from '../../harness/callback-check.ts'
import { merchantClient } from '../../harness/merchant-client.ts'
import { startReceiver } from '../../demo/receiver.ts'
import { startCommand, startServiceProcess } from '../../harness/service-process.ts'
import type { Recorded } from '../../domain/events.ts'
import { beginLog } from '../../harness/operator.ts'
import { newFolder, withProduction } from '../../harness/in-process.ts'
import { readSettings } from '../../infrastructure/settings.ts'
import { pathOf, requestPayment, runCommand } from '../support/shop-process.ts'
import { untilLogged } from '../support/event-log.ts'

const production = { DATA_DIR: newFolder(), MODE: 'production' }

afterAll(() => rmSync(production.DATA_DIR, { recursive: true }))

test('the operator creates merchants and users while the service runs, which sends nothing to private addresses', async () => {
  const service = await startServiceProcess(production)
  onTestFinished(async () => void (await service.stop()))
  expect(service.printed).toHaveLength(1)
  const receiver = await startReceiver({ keys: await fetchCallbackKeys(service.address) })
  onTestFinished(async () => void (await receiver.close()))
  const words = ['merchant', 'add', 'harbour', '--name', 'Harbour Bar', '--currency', 'nok']
  const added = await runCommand(production, '--json', ...words)
  expect(JSON.parse(added.output)).toMatchObject({ id: 'harbour', currency: 'NOK' })
  const [user, merchants, status] = await Promise.all([
    runCommand(production, 'user', 'add', 'harbour', 'pos1', '--secret', 'a long secret'),
    runCommand(production, 'merchant', 'list'),
    runCommand(production, '--json', 'status'),
  ])
  expect(user).toMatchObject({ code: 0, errors: '' })
  expect(merchants.output).toBe(
    'id: harbour\nbusiness_name: Harbour Bar\ncurrency: NOK\nlookup_ids: []\nenabled: true\n',
  )
  expect(JSON.parse(status.output)).toMatchObject({ merchants: 1, callbacks_unfinished: 0 })

  const credentials = { merchant: 'harbour', user: 'pos1', secret: 'a long secret' }
  const till = merchantClient(service.address, credentials)
  const pos = { id: 'till-1', name: 'Till', type: 'store' }
  expect((await till('POST', '/merchant/v1/pos/', pos)).status).toBe(201)
  expect((await till('POST', '/sandbox/v1/clock/', { advance_seconds: 1 })).status).toBe(404)
  for (const host of ['127.0.0.1', 'localhost', '[::ffff:7f00:1]']) {
    const callback_uri = receiver.url('/private').replace('127.0.0.1', host)
    const tid = await requestPayment(till, { callback_uri })
    await till('PUT', pathOf(tid), { action: 'abort' })
  }

  const attemptsOf = (log: readonly Recorded[]) =>
    log.flatMap((event) => (event.type === 'CallbackAttempted' ? event.data : []))
  const tried = (log: readonly Recorded[]) => new Set(attemptsOf(log).map((one) => one.subject))
  const log = await untilLogged(production.DATA_DIR, (log) => tried(log).size === 3)
  expect(await service.stop()).toBe(0)
  const attempts = attemptsOf(log)
  expect(attempts.length).toBeGreaterThanOrEqual(3)
  for (const { problem } of attempts) expect(problem).toMatch(/ is not on the open internet$/)
  expect(receiver.arrivals).toEqual([])
})

test('a netmask of a merchant is set, and taken away again', { tags: 'night' }, async () => {
  const settings = { DATA_DIR: newFolder(), MODE: 'production' }
  onTestFinished(() => rmSync(settings.DATA_DIR, { recursive: true }))
  await beginLog(readSettings(withProduction(settings)))
  const run = (...words: string[]) => runCommand(settings, '--json', 'merchant', ...words)
  const shown = async () =>
    JSON.parse((await run('change', 'walled', '--mcc', '5812')).output).netmask
  const made = ['walled', '--name', 'Walled Garden', '--currency', 'NOK']
  expect((await run('add', ...made, '--netmask', '192.0.2.0/24')).code).toBe(0)
  expect(await shown()).toBe('192.0.2.0/24')
  expect(await run('change', 'walled', '--netmask', '192.0.2')).toMatchObject({
    code: 1,
    errors: '192.0.2 is neither an IPv4 or IPv6 network nor none\n',
  })
  expect((await run('change', 'walled', '--netmask', 'none')).code).toBe(0)
  expect(await shown()).toBeNull()
})

test('wrong settings are all named, and end the start with code 2', async () => {
  const wrong = { ...production, PORT: '-1', MODE: 'holiday', PUBLIC_URL: 'shop.example' }
  const { code, output, errors } = await runCommand(wrong, 'serve')
  expect([code, output]).toEqual([2, ''])
  for (const name of ['PORT="-1"', 'MODE="holiday"', 'PUBLIC_URL="shop.example"'])
    expect(errors).toContain(name)
  expect(errors).not.toContain('at ')
})

test('a command ends without an error when its output is closed', async () => {
  const child = startCommand(['openapi'], production, 'pipe')
  let errors = ''
  child.stderr!.setEncoding('utf8').on('data', (text) => (errors += text))
  await once(child.stdout!, 'data')
  child.stdout!.destroy()
  expect(await once(child, 'close')).toEqual([0, null])
  expect(errors).toBe('')
})
