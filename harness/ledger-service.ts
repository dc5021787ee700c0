import { createPrivateKey, randomUUID } from 'node:crypto'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { FundingSource } from '../application/funding.ts'
import { openInProcess } from './in-process.ts'
import { secretHeaders, signedHeaders } from './signing.ts'

type Answer = {
  readonly status: number
  readonly text: string
  readonly location: string | null
  // The tests say what they expect of it.
  readonly body: any
}

export const base = 'http://daybook.test'

const dayMs = 86_400_000

type User = 'pos1' | 'admin'

/**
 * A service on a data directory, asked without sockets; several may share a directory.
 * Long because it is the record of all that such a test asks for.
 */
export const openPlace = async (ofFolder?: string, funding?: FundingSource) => {
  const environment = { PUBLIC_URL: base, LOG_LEVEL: 'error' }
  const opened = await openInProcess(environment, ofFolder, funding)
  const { app, core, service, wordCallback, stop, folder: directory, logged: bugs } = opened
  const key = createPrivateKey(readFileSync(join(directory, 'sandbox-admin-key.pem')))

  const headersFor = (method: string, url: string, body: string, as: User) => {
    if (as === 'pos1') return secretHeaders('sandbox', 'pos1', 'sandbox-secret')
    const headers = { 'X-Service-Merchant': 'sandbox', 'X-Service-User': as }
    return signedHeaders({ method, url, body, key, headers })
  }

  const ask = async (
    method: string,
    path: string,
    json?: object,
    as: User = 'pos1',
  ): Promise<Answer> => {
    const url = path.startsWith('http') ? path : base + path
    const body = json === undefined ? '' : JSON.stringify(json)
    const init = {
      method,
      headers: { ...headersFor(method, url, body, as), 'Content-Type': 'application/json' },
      ...(json !== undefined && { body }),
    }
    const response = await app.request(url, init, {})
    const text = await response.text()
    if (response.status >= 500) throw new Error(`${method} ${path}: ${text} ${String(bugs.at(-1))}`)
    const isJson = response.headers.get('content-type')?.includes('json')
    const location = response.headers.get('location')
    return { status: response.status, text, location, body: isJson ? JSON.parse(text) : null }
  }

  const get = async (path: string) => (await ask('GET', path)).body
  const sandbox = async (path: string, json: object = {}) => {
    const { status, text, body } = await ask('POST', `/sandbox/v1/${path}`, json)
    if (status >= 300) throw new Error(`${path}: ${status} ${text}`)
    return body
  }
  const untilMidnight = dayMs - (core.now() % dayMs)
  // Midnight settles, which no test expects of the few seconds that it takes.
  if (ofFolder === undefined && untilMidnight < 600_000)
    await sandbox('clock/', { advance_seconds: Math.ceil(untilMidnight / 1000) })
  const run = randomUUID().slice(0, 8)
  let count = 0

  /** A payment that alice has accepted; answers its tid. */
  const authorize = async (
    wish: {
      amount: string
      additional_amount?: string
      currency?: string
      ledger?: string
      text?: string
      credit?: boolean
    },
    as = `${run}-${(count += 1)}`,
  ): Promise<string> => {
    const { credit = false, ...rest } = wish
    const request = { pos_id: 'till-1', pos_tid: as, action: 'auth', allow_credit: true }
    const about = { currency: 'NOK', customer: '4799999901' }
    const { body, status, text } = await ask('POST', '/merchant/v1/payment_request/', {
      ...request,
      ...about,
      ...rest,
    })
    if (status !== 201) throw new Error(text)
    await sandbox(`payment_request/${body.id}/accept/`, { credit })
    return body.id
  }

  const put = (tid: string, json: object, as: User = 'pos1') =>
    ask('PUT', `/merchant/v1/payment_request/${tid}/`, json, as)

  return {
    directory,
    core,
    service,
    wordCallback,
    app,
    ask,
    get,
    sandbox,
    authorize,
    capture: (tid: string, part: object = {}) => put(tid, { action: 'capture', ...part }),
    refund: (tid: string, part: object = {}) => put(tid, { action: 'refund', ...part }, 'admin'),
    release: (tid: string) => put(tid, { action: 'release' }),
    outcome: (tid: string) => get(`/merchant/v1/payment_request/${tid}/outcome/`),
    ledger: (rest = '', ledger = 'default') => get(`/merchant/v1/ledger/${ledger}/${rest}`),
    /** Closes a report and waits for its logs. */
    close: async (report: number, ledger = 'default', json: object = {}) => {
      const path = `/merchant/v1/ledger/${ledger}/report/${report}/`
      const { status, text } = await ask('PUT', path, json)
      if (status !== 204) throw new Error(text)
      await sandbox('clock/', { advance_seconds: 0 })
      return get(path)
    },
    /** All lines of log files, as records. */
    lines: async (uris: readonly string[]): Promise<Record<string, string>[]> => {
      const all: Record<string, string>[] = []
      for (const uri of uris) {
        const { status, text } = await ask('GET', uri)
        if (status !== 200) throw new Error(text)
        const [header = '', ...rows] = text.trimEnd().split('\n')
        const columns = header.split(',')
        for (const row of rows)
          all.push(
            Object.fromEntries(row.split(',').map((cell, index) => [columns[index] ?? '?', cell])),
          )
      }
      return all
    },
    /** Ends the service; what it knew is in the directory. */
    stop,
    remove: () => rmSync(directory, { recursive: true, force: true }),
  }
}

export type Place = Awaited<ReturnType<typeof openPlace>>
