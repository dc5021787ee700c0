import { randomUUID } from 'node:crypto'
import { paymentInput } from '../../harness/register-merchant.ts'
import { secretHeaders } from '../../harness/signing.ts'
import type { Node } from './cluster.ts'
import type { Asked } from './history.ts'
import type { Random } from './random.ts'

const patienceMs = 5_000

/** How long a request without a response is retried. */
const persistenceMs = 40_000

const list = '/merchant/v1/payment_request/'

/** A new customer, shared by all requests within half a second. */
const newCustomer = (): string =>
  `+4748${String(Math.floor(Date.now() / 500) % 1_000_000).padStart(6, '0')}`

type Wanted = Pick<Asked, 'kind' | 'merchant' | 'tid' | 'part' | 'customer'> & {
  readonly method: string
  readonly path: string
  readonly body?: object
}

type Needs = {
  readonly nodes: readonly Node[]
  readonly merchants: readonly string[]
  readonly secret: string
  readonly random: Random
  readonly callbackUri: (merchant: string) => string
  readonly isOver: () => boolean
}

const isDone = (status: number | null): boolean => status !== null && status < 300

/**
 * Sends requests as merchants do: to any node, and to another one if there is no response.
 * Long because each payment is one course of requests.
 */
export const makeLoad = (needs: Needs) => {
  const { nodes, merchants, secret, random, callbackUri, isOver } = needs
  const asked: Asked[] = []

  const ask = async ({ method, path, body, ...about }: Wanted) => {
    const { address: node } = random.oneOf(nodes)
    const start = Date.now()
    let answer: { status: number | null; requestId: string | null; body: any }
    try {
      const response = await fetch(node + path, {
        method,
        headers: {
          ...secretHeaders(about.merchant, 'pos1', secret),
          ...(body && { 'Content-Type': 'application/json' }),
        },
        ...(body && { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(patienceMs),
      })
      const { status, headers } = response
      const text = await response.text()
      const requestId = headers.get('x-request-id')
      answer = { status, requestId, body: text.startsWith('{') ? JSON.parse(text) : undefined }
    } catch {
      answer = { status: null, requestId: null, body: undefined }
    }
    const { status, requestId } = answer
    const tid = about.kind === 'request' && isDone(status) ? answer.body.id : about.tid
    const shown =
      about.kind === 'read' && isDone(status)
        ? { shown: answer.body.captures.map((one: { id: string }) => one.id) }
        : {}
    asked.push({ ...about, tid, node, start, end: Date.now(), status, requestId, ...shown })
    return answer
  }

  /** Repeats a request until it is acknowledged, refused or given up. */
  const insist = async (wanted: Wanted) => {
    const until = Date.now() + persistenceMs
    for (;;) {
      const answer = await ask(wanted)
      const { status } = answer
      if (isDone(status) || (status !== null && status < 500)) return answer
      if (Date.now() > until) return answer
    }
  }

  const pay = async (): Promise<void> => {
    const merchant = random.oneOf(merchants)
    const of = { merchant, part: undefined as string | undefined }
    const about = ({ part, ...rest }: typeof of) => (part === undefined ? rest : { ...rest, part })
    // Naming a new customer waits for the vault, which hides reads that do not wait for the log.
    const named = random.next() < 0.25 ? { customer: newCustomer() } : {}
    const input = paymentInput({
      ...named,
      ...{ pos_id: 'till', pos_tid: randomUUID(), callback_uri: callbackUri(merchant) },
      amount: '10.00',
    })
    const requested = { kind: 'request', method: 'POST', path: list, tid: '', ...named } as const
    const { body } = await insist({ ...about(of), ...requested, body: input })
    const tid = body?.id
    if (tid === undefined) return
    const path = `${list}${tid}/`
    const accept = `/sandbox/v1/payment_request/${tid}/accept/`
    await insist({ ...about(of), kind: 'accept', method: 'POST', path: accept, tid })
    const read = () =>
      ask({ ...about(of), kind: 'read', method: 'GET', path: `${path}outcome/`, tid })
    for (const part of ['c1', 'c2', 'c3']) {
      const capture = { action: 'capture', capture_id: part, amount: '1.00', currency: 'NOK' }
      const wanted = { ...about({ ...of, part }), kind: 'capture', method: 'PUT', path } as const
      const twice = random.next() < 0.2 ? [insist({ ...wanted, tid, body: capture })] : []
      await Promise.all([...twice, insist({ ...wanted, tid, body: capture })])
      await Promise.all([read(), read()])
    }
    // Sent once: the response, or its absence, must be consistent with the effect.
    const rest = { action: 'capture' }
    await ask({ ...about(of), kind: 'rest', method: 'PUT', path, tid, body: rest })
    if (random.next() < 0.3) {
      const test = { callback_uri: callbackUri('none') }
      const path = '/sandbox/v1/callback/'
      await ask({ ...about(of), kind: 'test', method: 'POST', path, tid: '', body: test })
    }
  }

  const work = async (): Promise<void> => {
    while (!isOver()) await pay()
  }

  return { asked, work }
}
