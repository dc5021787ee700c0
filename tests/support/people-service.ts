import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { start, type RecordedEvent } from '../../application/event-store.ts'
import { codeAt } from '../../infrastructure/people/one-time-codes.ts'
import { sandboxPayers } from '../../service/sandbox/sandbox-data.ts'
import { openStore } from '../../infrastructure/stores.ts'
import { startInProcess } from '../../harness/in-process.ts'
import { operatorHere } from '../../harness/operator.ts'
import { paymentInput } from '../../harness/register-merchant.ts'
import { secretHeaders } from '../../harness/signing.ts'

/**
 * The service in this process, as its operator, its merchants and its payers meet it.
 * Long because it is the record of all that such a test asks for.
 */
export const startPeopleService = async (given: Readonly<Record<string, string>> = {}) => {
  const server = await startInProcess({ LOG_LEVEL: 'trace', ...given })
  const { settings, folder, logged } = server
  let running: Awaited<ReturnType<typeof server.start>> = server
  const command = operatorHere(settings)

  /** The operator's command, beside the running service on the same data. */
  const operator = async (...words: readonly string[]): Promise<Record<string, string>> => {
    const { code, output } = await command('--json', ...words)
    if (code) throw new Error(`the operator could not ${words.join(' ')}`)
    return JSON.parse(output || 'null') as Record<string, string>
  }

  const merchantHeaders = (merchant = 'sandbox', user = 'pos1', secret = 'sandbox-secret') =>
    secretHeaders(merchant, user, secret)

  const call = async (
    method: string,
    path: string,
    body?: unknown,
    headers: Readonly<Record<string, string>> = merchantHeaders(),
  ) => {
    const response = await fetch(running.address + path, {
      method,
      headers: {
        ...headers,
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    const isJson = /json/.test(response.headers.get('content-type') ?? '')
    return {
      status: response.status,
      headers: response.headers,
      body: (isJson ? JSON.parse(text) : text) as any,
    }
  }

  /** Requests a payment of anybody, unless a customer is named. */
  const requestPayment = async (fields: Readonly<Record<string, unknown>>) => {
    const { customer: _, ...input } = paymentInput()
    const request = { ...input, ...fields }
    const { status, body } = await call('POST', '/merchant/v1/payment_request/', request)
    if (status !== 201) throw new Error(JSON.stringify(body))
    return body as { id: string; uri: string | null }
  }
  const outcome = async (tid: string) =>
    (await call('GET', `/merchant/v1/payment_request/${tid}/outcome/`)).body

  /** Every file of the installation as it is on the disk. */
  const files = () =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => ({
        name: entry.name,
        bytes: readFileSync(join(entry.parentPath, entry.name)),
      }))

  /** The whole log as an auditor reads it, beside the running service. */
  const events = async () => {
    const store = await openStore(settings)
    const all: RecordedEvent[] = []
    for await (const batch of store.readAll(start)) all.push(...batch)
    await store.close()
    return all
  }

  /**
   * The types of events that somebody caused: checkpoints are signed in the background, ten seconds
   * after any event.
   */
  const recorded = async () =>
    (await events()).map(({ type }) => type).filter((type) => !type.startsWith('Checkpoint'))

  return {
    folder,
    events,
    recorded,
    get address() {
      return running.address
    },
    get app() {
      return running.app
    },
    get core() {
      return running.core
    },
    get wordCallback() {
      return running.wordCallback
    },
    log: () => logged.join(''),
    call,
    operator,
    merchantHeaders,
    requestPayment,
    outcome,
    files,
    advance: (seconds: number) => call('POST', '/sandbox/v1/clock/', { advance_seconds: seconds }),
    restart: async () => {
      await running.stop()
      running = await server.start()
    },
    stop: async () => {
      await running.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

export type PeopleService = Awaited<ReturnType<typeof startPeopleService>>

export const codeOf = (payer: keyof typeof sandboxPayers): string =>
  codeAt(sandboxPayers[payer].codeSecret, Date.now())

type Message = { readonly to: string; readonly text: string }

/** What a phone has received, newest first. */
export const messagesTo = async (
  { address }: Pick<PeopleService, 'address'>,
  phone: string,
): Promise<readonly Message[]> => {
  const response = await fetch(`${address}/sandbox/v1/message/?to=${encodeURIComponent(phone)}`)
  return ((await response.json()) as { messages: readonly Message[] }).messages
}

/** The code in the newest message to a phone. */
export const codeSentTo = async (
  service: Pick<PeopleService, 'address'>,
  phone: string,
): Promise<string> => {
  const [message] = await messagesTo(service, phone)
  return /\b\d{6}\b/.exec(message?.text ?? '')?.[0] ?? ''
}
