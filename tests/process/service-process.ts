// What tests of the real process share: a sandbox shop in a folder of its own, and its log.
import { once } from 'node:events'
import { createPrivateKey } from 'node:crypto'
import { mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'
import { fetchCallbackKeys } from '../../demo/callback-check.ts'
import { merchantClient, type MerchantClient } from '../../demo/merchant-client.ts'
import {
  startCommand,
  startServiceProcess,
  type ServiceProcess,
  type SettingsOfProcess,
} from '../../demo/service-process.ts'
import { parseEvent, type Recorded } from '../../domain/events.ts'
import { openSqliteEventStore } from '../../infrastructure/event-store/sqlite-event-store.ts'
import { givenKeys } from '../given-keys.ts'

export const newFolder = (): string => mkdtempSync(join(tmpdir(), 'daybook-test-'))

const started: ServiceProcess[] = []
// A test that fails does not come to the end of its service.
afterAll(() => Promise.all(started.map(({ end }) => end('SIGKILL'))))

/** A sandbox service in a process of its own, with its till, its owner, and the sandbox's helpers. */
export const startShop = async (settings: SettingsOfProcess) => {
  givenKeys(settings.DATA_DIR)
  const service = await startServiceProcess(settings)
  started.push(service)
  const key = createPrivateKey(
    readFileSync(join(settings.DATA_DIR, 'sandbox-admin-key.pem'), 'utf8'),
  )
  const pos1 = { merchant: 'sandbox', user: 'pos1', secret: 'sandbox-secret' }
  return {
    service,
    till: merchantClient(service.address, pos1),
    owner: merchantClient(service.address, { merchant: 'sandbox', user: 'admin', key }),
    world: merchantClient(service.address),
    keys: await fetchCallbackKeys(service.address),
  }
}

export type TestShop = Awaited<ReturnType<typeof startShop>>

let requests = 0

/** Requests a payment; answers its tid. */
export const requestPayment = async (till: MerchantClient, input: object = {}): Promise<string> => {
  requests += 1
  const answer = await till('POST', '/merchant/v1/payment_request/', {
    pos_id: 'till-1',
    pos_tid: `test-${requests}`,
    action: 'auth',
    currency: 'NOK',
    amount: '100.00',
    allow_credit: false,
    customer: '+4799999901',
    ...input,
  })
  if (answer.status !== 201) throw new Error(JSON.stringify(answer.body))
  return answer.body.id
}

export const pathOf = (tid: string): string => `/merchant/v1/payment_request/${tid}/`

export const accept = (world: MerchantClient, tid: string) =>
  world('POST', `/sandbox/v1/payment_request/${tid}/accept/`)

/** Requests a payment that the payer accepts; answers its tid. */
export const authorize = async (
  { till, world }: Pick<TestShop, 'till' | 'world'>,
  input: object = {},
): Promise<string> => {
  const tid = await requestPayment(till, input)
  await accept(world, tid)
  return tid
}

export const capture = (
  till: MerchantClient,
  tid: string,
  capture_id: string,
  amount = '1.00',
  currency = 'NOK',
) => till('PUT', pathOf(tid), { action: 'capture', capture_id, amount, currency })

export const outcomeOf = async (till: MerchantClient, tid: string) =>
  (await till('GET', `${pathOf(tid)}outcome/`)).body

/** Moves the service's clock, and lets all happen that has become due. */
export const advance = async (world: MerchantClient, seconds: number): Promise<string> =>
  (await world('POST', '/sandbox/v1/clock/', { advance_seconds: seconds })).body.now

/** The whole log as it stands, read beside the service. */
export const readLog = async (folder: string): Promise<Recorded[]> => {
  const store = openSqliteEventStore(join(folder, 'events.sqlite'))
  const events: Recorded[] = []
  for await (const batch of store.readAll(0)) events.push(...batch.map(parseEvent))
  await store.close()
  return events
}

/** The log once there is enough in it, however long that takes. */
export const untilLogged = async (
  folder: string,
  isEnough: (log: readonly Recorded[]) => boolean,
): Promise<Recorded[]> => {
  const store = openSqliteEventStore(join(folder, 'events.sqlite'))
  const stopped = new AbortController()
  const log: Recorded[] = []
  for await (const batch of store.follow(0, stopped.signal)) {
    log.push(...batch.map(parseEvent))
    if (isEnough(log)) stopped.abort()
  }
  await store.close()
  return log
}

/** Runs an operator's command to its end. */
export const runCommand = async (settings: SettingsOfProcess, ...words: string[]) => {
  const child = startCommand(words, settings, 'pipe')
  const printed = { output: '', errors: '' }
  child.stdout!.setEncoding('utf8').on('data', (text) => (printed.output += text))
  child.stderr!.setEncoding('utf8').on('data', (text) => (printed.errors += text))
  const [code] = await once(child, 'close')
  return { code: code as number | null, ...printed }
}
