// @module-tag long
import { spawn, spawnSync } from 'node:child_process'
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startService, type Service } from '../support/http-service.ts'
import { examplesIn } from '../http/docs-pages.ts'

const root = join(import.meta.dirname, '..', '..')
const built = join(root, 'dist', 'client')

let service: Service
let folder: string
let examples: readonly string[]
beforeAll(async () => {
  service = await startService()
  folder = mkdtempSync(join(tmpdir(), 'daybook-client-'))
  const { text } = await service.call('GET', '/docs/client')
  examples = examplesIn(text).flatMap(({ language, code }) => (language === 'js' ? code : []))
})
afterAll(async () => {
  await service.stop()
  rmSync(folder, { recursive: true })
})

/** Runs a program against the service in this process; returns its output. */
const printedBy = async (code: string): Promise<string[]> => {
  writeFileSync(join(folder, 'run.mjs'), code)
  const child = spawn('node', ['run.mjs'], { cwd: folder, env: { ...process.env, PORT: '0' } })
  let text = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (part: string) => (text += part))
  await new Promise((resolve) => child.on('close', resolve))
  return text.trimEnd().split('\n')
}

const example = (part: string): string => {
  const found = examples.find((code) => code.includes(part))
  if (found === undefined) throw new Error(`no example has ${part}`)
  return found
}

test('the service hands out the client as it is in the package', async () => {
  const { text } = await service.call('GET', '/docs-assets/daybook-client.mjs')
  expect(text).toBe(readFileSync(join(built, 'index.js'), 'utf8'))
  writeFileSync(join(folder, 'daybook-client.mjs'), text)
})

test('the examples of the guide do what they say, one after the other', async () => {
  const calls = ['createPaymentRequest', 'acceptSandbox', 'dinner']
  const others = ['ValidationError', 'AbortSignal', 'listPos']
  const printed = await printedBy([...calls, ...others].map(example).join('\n'))
  expect(printed).toEqual([
    expect.stringMatching(/^[0-9a-f]{32} pending 12\.50$/),
    "{ capture_id: [ 'Letters, digits and - _ . only.' ] }",
    'till-1 Till 1',
  ])
  const [tid] = printed[0]!.split(' ')
  const outcome = await service.pos1('GET', `/merchant/v1/payment_request/${tid}/outcome/`)
  expect(outcome.body).toMatchObject({ captures: [{ id: 'dinner', amount: '10.00' }] })
})

test('the receiver of the guide takes a callback, and no other request', async () => {
  const end = `
server.on('listening', async () => {
  const callback_uri = 'http://127.0.0.1:' + server.address().port + '/'
  console.log((await fetch(callback_uri, { method: 'POST', body: '{}' })).status)
  server.on('request', (_, response) => response.on('finish', () => process.exit()))
  await shop.sendSandboxCallback({ callback_uri })
})`
  const first = example('createPaymentRequest').replace('order-2', 'order-3')
  const printed = await printedBy([first, example('createServer'), end].join('\n'))
  expect(printed.slice(1)).toEqual(['400', 'test_event Hello World'])
})

test('the feed of the guide is followed', async () => {
  const first = example('createPaymentRequest').replace('order-2', 'order-4')
  const told = example('followFeed')
    .replace(`'now'`, '')
    .replace('console.log(next)', 'if (messages.length > 0) process.exit()')
  const events = (await printedBy([first, told].join('\n'))).slice(1)
  expect(events).toContainEqual(expect.stringMatching(/^payment_authorized http/))
})

test('the payout of the guide is reconciled with its lines, and reading goes on', async () => {
  const { text } = await service.call('GET', '/docs/transactions')
  const code = examplesIn(text).flatMap(({ language, code }) => (language === 'js' ? code : []))
  const [payout = '', tomorrow = '', days = '', payments = ''] = code
  expect(payout.trim().split('\n').length).toBeLessThanOrEqual(10)
  const act = `
await shop.acceptSandboxPaymentRequest(id, { credit: true })
await shop.updatePaymentRequest(id, { action: 'capture' })
await owner.updatePaymentRequest(id, {
  ...{ action: 'refund', amount: '20.00', currency: 'NOK', refund_id: 'back' },
})
await shop.createSandboxSettlement({ merchant: 'sandbox' })
`
  const first = example('createPaymentRequest')
    .replace('order-2', 'order-1')
    .replace(`'12.50'`, `'200.00'`)
    .replace('allow_credit: false', 'allow_credit: true')
  const owner = `
import { readFileSync } from 'node:fs'
const key = readFileSync('${join(service.folder, 'sandbox-admin-key.pem')}')
const owner = new Client({ url: '${service.address}', merchant: 'sandbox', user: 'admin', key })
`
  const program = [first, owner, act, payout, tomorrow, days, payments].join('\n')
  const printed = (await printedBy(program)).slice(1)
  const start = printed.findIndex((line) => line.startsWith('order-1 capture 196.20 left '))
  expect(printed.slice(start + 1, start + 4)).toEqual([
    'order-1 refund -20.00 left -1500',
    '- settlement_fee -15.00 left 0',
    expect.stringMatching(/^NOK [\d.]+ reconciled$/),
  ])
  expect(printed).toContainEqual(expect.stringMatching(/^\d+ order-1 196\.20$/))
  expect(printed.at(-2)).toMatch(/^\d{4}-\d\d-\d\d [\d.]+ \d+$/)
  expect(printed.at(-1)).toMatch(/^[0-9a-f]{32} ok 200\.00$/)
})

const program = `
import { Client, Conflict, verifyCallback, type Money, type Pos } from 'daybook/client'
const who = { url: 'http://pay.example', merchant: 'sandbox', user: 'pos1', secret: 'a' }
export const use = async (request: Request): Promise<Money | undefined> => {
  const shop = new Client(who)
  const pos: Pos = await shop.getPos('till-1')
  // @ts-expect-error Money is text.
  await shop.updatePaymentRequest(pos.id, { action: 'capture', amount: 1.5 })
  // @ts-expect-error There is no such operation.
  await shop.capturePayment(pos.id)
  const callback = await verifyCallback(request, { merchant: 'sandbox', secret: 'whsec_' })
  // @ts-expect-error It may be any event.
  callback.object?.auth_amount
  return callback.event === 'payment_captured' ? callback.object?.auth_amount : undefined
}
console.log(new Client(who) instanceof Client, Conflict.name)
`

test(
  'the package gives client and types to a project that has nothing else of it',
  { tags: 'long' },
  () => {
    const place = join(folder, 'node_modules', 'daybook')
    mkdirSync(join(place, 'dist'), { recursive: true })
    cpSync(join(root, 'package.json'), join(place, 'package.json'))
    cpSync(built, join(place, 'dist', 'client'), { recursive: true })
    symlinkSync(join(root, 'node_modules', '@types'), join(folder, 'node_modules', '@types'))
    writeFileSync(join(folder, 'use.mts'), program)
    const flags = ['--strict', '--exactOptionalPropertyTypes', '--module', 'nodenext', '--target']
    const words = ['--ignoreConfig', ...flags, 'es2023', '--types', 'node', 'use.mts']
    const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc')
    const run = (...args: string[]) =>
      spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' })
    expect(run(compiler, ...words)).toMatchObject({ status: 0, stdout: '' })
    expect(run('use.mjs')).toMatchObject({ stdout: 'true Conflict\n', stderr: '' })
  },
)
