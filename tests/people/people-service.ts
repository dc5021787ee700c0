import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { start, type RecordedEvent } from '../../application/event-store.ts'
import { startServer } from '../../infrastructure/server.ts'
import { operatorProgram } from '../../infrastructure/operator/operator.ts'
import { codeAt } from '../../infrastructure/people/one-time-codes.ts'
import { sandboxPayers } from '../../infrastructure/sandbox-data.ts'
import { readSettings } from '../../infrastructure/settings.ts'
import { openStore } from '../../infrastructure/stores.ts'
import { givenKeys } from '../given-keys.ts'

/** A service in a folder of its own, as its operator, its merchants and its payers meet it. */
export const startPeopleService = async (given: Readonly<Record<string, string>> = {}) => {
  const folder = givenKeys(mkdtempSync(join(tmpdir(), 'daybook-people-')))
  const environment = { MODE: 'sandbox', PORT: '0', ...given, DATA_DIR: folder }
  const settings = readSettings(environment)
  let logged = ''
  const log = pino({ level: 'trace' }, { write: (line: string) => (logged += line) })
  let running = await startServer(settings, log)

  /** The operator's command, beside the running service on the same data. */
  const operator = async (...words: readonly string[]): Promise<Record<string, string>> => {
    let printed = ''
    const write = process.stdout.write.bind(process.stdout)
    process.stdout.write = (text: string | Uint8Array) => (printed += String(text)) !== ''
    try {
      await operatorProgram({
        settings,
        version: '0',
        server: () => import('../../infrastructure/server.ts'),
      }).parseAsync(['node', 'daybook', '--json', ...words])
    } finally {
      process.stdout.write = write
    }
    if (process.exitCode) throw new Error(`the operator could not ${words.join(' ')}`)
    return JSON.parse(printed || 'null') as Record<string, string>
  }

  const merchantHeaders = (merchant = 'sandbox', user = 'pos1', secret = 'sandbox-secret') => ({
    'X-Service-Merchant': merchant,
    'X-Service-User': user,
    Authorization: `SECRET ${secret}`,
  })

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

  let number = 0
  const requestPayment = async (fields: Readonly<Record<string, unknown>>) => {
    number += 1
    const request = {
      pos_id: 'till-1',
      pos_tid: `t-${number}`,
      action: 'auth',
      currency: 'NOK',
      amount: '100.00',
      allow_credit: false,
      ...fields,
    }
    const { status, body } = await call('POST', '/merchant/v1/payment_request/', request)
    if (status !== 201) throw new Error(JSON.stringify(body))
    return body as { id: string; uri: string | null }
  }
  const outcome = async (tid: string) =>
    (await call('GET', `/merchant/v1/payment_request/${tid}/outcome/`)).body

  /** Every file of the installation as it stands on the disk. */
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

  return {
    folder,
    events,
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
    log: () => logged,
    call,
    operator,
    merchantHeaders,
    requestPayment,
    outcome,
    files,
    advance: (seconds: number) => call('POST', '/sandbox/v1/clock/', { advance_seconds: seconds }),
    restart: async () => {
      await running.stop()
      running = await startServer(settings, log)
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
