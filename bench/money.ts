import { readSettings } from '../infrastructure/settings.ts'
import { openStore } from '../infrastructure/stores.ts'
import { setTimeout as pause } from 'node:timers/promises'
import { merchantClient } from '../harness/merchant-client.ts'
import { payments, requestsOf } from './client.ts'
import { seed } from './histories.ts'
import { authorize, makeLoad, quantile, type Turn } from './load.ts'
import { startReceivers } from './receivers.ts'
import { secondsSince, type Case, type Figure, type Scenario, type Scope } from './scope.ts'

const till = { merchant: 'sandbox', user: 'pos1', secret: 'sandbox-secret' }

/** A service whose log has so many events of payments. */
const seeded = async (scope: Scope, events: number) => {
  const DATA_DIR = scope.folder()
  const store = await openStore(readSettings({ DATA_DIR }))
  await seed(store, events)
  await store.close()
  await scope.command(DATA_DIR, 'rebuild')
  const service = await scope.service({ settings: { DATA_DIR } })
  return { ...service, ask: merchantClient(service.base, till) }
}

/** Of ten payments with 42 events, 15 lines are of captures and refunds. */
const eventsOfLine = 3

const pageLines = 500

const readHistory = async (scope: Scope): Promise<Figure[]> => {
  const { ask } = await seeded(scope, scope.size * eventsOfLine)
  const pages: number[] = []
  const seen = new Set<string>()
  const began = performance.now()
  let next: string | null = `/merchant/v1/transaction/?order=oldest&size=${pageLines}`
  while (next !== null && seen.size < scope.size) {
    const from = performance.now()
    const { body } = (await ask('GET', next)) as { body: any }
    pages.push(performance.now() - from)
    for (const { id } of body.transactions as { readonly id: string }[]) {
      if (seen.has(id)) throw new Error(`${id} came twice`)
      seen.add(id)
    }
    next = body.next
  }
  const [time, count] = [secondsSince(began), seen.size]
  const sorted = pages.toSorted((one, other) => one - other)
  const slowest = sorted.slice(-8).map((ms) => `${ms.toFixed(0)} (${pages.indexOf(ms) + 1}.)`)
  // Of 1,000,000 lines in 60 s.
  const rate = count / time
  return [
    { what: 'lines read', value: count, unit: 'lines' },
    { what: 'rate', value: rate, unit: 'lines/s', target: ['value', '≥', 1_000_000 / 60] },
    { what: 'a page, p50', value: quantile(sorted, 0.5), unit: 'ms' },
    {
      what: 'a page, p99',
      value: quantile(sorted, 0.99),
      unit: 'ms',
      more: `slowest: ${slowest.reverse().join(', ')}`,
      target: ['value', '≤', 50],
    },
  ]
}

const history: Case = {
  about: `All lines of a merchant by cursor, in pages of ${pageLines}. Size: lines`,
  usual: { rounds: 1, seconds: 0, size: 1_000_000 },
  quick: { rounds: 1, seconds: 0, size: 20_000 },
  open: () => readHistory,
}

/** Of ten payments with 42 events, at least 20 have a message. */
const eventsOfMessage = 2

const pace = 100

const replayBeside = async (scope: Scope): Promise<Figure[]> => {
  const { ask, shop } = await seeded(scope, scope.size * eventsOfMessage)
  const due = new Map<string, number>()
  const latencies: number[] = []
  let [replayed, last] = [0, performance.now()]
  const receivers = await startReceivers(({ tid, seqno, at }) => {
    const from = due.get(tid)
    if (from === undefined) {
      replayed += 1
      last = at
    } else if (seqno > 1) latencies.push(at - from)
  })
  scope.later(receivers.close)
  // The last ones of the window may begin after it.
  const count = pace * (scope.seconds + 1)
  const tids = await authorize(shop, scope.label(), count)
  const { body } = await ask('POST', '/merchant/v1/event_destination/', {
    uri: receivers.uriOf(1),
  })
  // Nobody asks in the same second: the thread that delivers has started by then.
  await pause(2_000)
  const replay = `/merchant/v1/event_destination/${body.id}/replay/`
  const began = performance.now()
  const { status } = await ask('POST', replay, { since: '2020-01-01 00:00:00' })
  if (status !== 204) throw new Error(`the replay was answered ${status}`)
  let next = 0
  const turn: Turn = async (send, at) => {
    const tid = tids[next++] as string
    due.set(tid, at)
    await send(requestsOf(shop).secret(...payments.capture(tid, `c-${next}`)), 204)
    return true
  }
  const group = { work: { kind: 'turn', turn }, connections: 32, pace } as const
  const { groups } = await makeLoad({ shop, warmUp: 0, seconds: scope.seconds, groups: [group] })
  if (groups[0]?.unexpected) throw new Error(groups[0].firstUnexpected)
  const beside = replayed
  while (replayed < scope.size && performance.now() - last < 10_000) await pause(100)
  const sorted = latencies.toSorted((one, other) => one - other)
  const messages = { value: replayed, unit: 'messages', more: `${beside} beside fresh ones` }
  return [
    { what: 'replayed', ...messages, target: ['value', '≥', scope.size] },
    { what: 'replay', value: (last - began) / 1_000, unit: 's' },
    { what: 'fresh ones received', value: latencies.length, unit: 'messages', limit: next },
    { what: 'fresh, p50', value: quantile(sorted, 0.5), unit: 'ms' },
    {
      what: 'fresh, p99',
      value: quantile(sorted, 0.99),
      unit: 'ms',
      target: ['value', '≤', 1_000],
    },
  ]
}

const replay: Case = {
  about:
    'All messages again to a new destination, beside 100 fresh ones a second for that time. ' +
    'Size: messages',
  usual: { rounds: 1, seconds: 60, size: 100_000 },
  quick: { rounds: 1, seconds: 10, size: 2_000 },
  open: () => replayBeside,
}

export const cases: Scenario = { history, replay }
