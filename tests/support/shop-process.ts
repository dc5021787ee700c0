// A sandbox shop whose service is a process of its own.
import { once } from 'node:events'
import { createPrivateKey } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll } from 'vitest'
import { fetchCallbackKeys } from '../../harness/callback-check.ts'
import { prepareKeys } from '../../harness/signing.ts'
import { merchantClient, type MerchantClient } from '../../harness/merchant-client.ts'
import { paymentInput } from '../../harness/register-merchant.ts'
import {
  startCommand,
  startServiceProcess,
  type ServiceProcess,
  type SettingsOfProcess,
} from '../../harness/service-process.ts'

const started: ServiceProcess[] = []

// A failing test does not stop its service.
afterAll(() => Promise.all(started.map(({ stop }) => stop('SIGKILL'))))

/** A sandbox service in a process of its own, with clients for its till, its owner and nobody. */
export const startShop = async (settings: SettingsOfProcess) => {
  prepareKeys(settings.DATA_DIR)
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

/** Requests a payment; answers its tid. */
export const requestPayment = async (till: MerchantClient, input: object = {}): Promise<string> => {
  const answer = await till('POST', '/merchant/v1/payment_request/', paymentInput({ ...input }))
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

export const runCommand = async (settings: SettingsOfProcess, ...words: string[]) => {
  const child = startCommand(words, settings, 'pipe')
  const printed = { output: '', errors: '' }
  child.stdout!.setEncoding('utf8').on('data', (text) => (printed.output += text))
  child.stderr!.setEncoding('utf8').on('data', (text) => (printed.errors += text))
  const [code] = await once(child, 'close')
  return { code: code as number | null, ...printed }
}
