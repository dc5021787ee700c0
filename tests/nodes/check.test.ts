// @module-tag night
// Long because it lists what the checker finds.
import { expect, test } from 'vitest'
import { workOfMerchant } from '../../domain/leases.ts'
import { problemsIn } from './check.ts'
import type { Arrived, Asked, History, Leases, Logged } from './history.ts'

const [a, b] = ['http://a', 'http://b']

const asked = (given: Partial<Asked>): Asked => ({
  ...{ kind: 'capture', node: a, merchant: 'shop', tid: 't', part: 'c1' },
  ...{ start: 0, end: 10, status: 204, requestId: 'r1' },
  ...given,
})

const read = (start: number, ...shown: string[]): Asked => {
  const { part: _, ...rest } = asked({ kind: 'read', node: b, start, end: start + 5, status: 200 })
  return { ...rest, shown, requestId: `read-${start}` }
}

const logged = (given: Partial<Logged>): Logged => ({
  ...{ id: 'e1', stream: 'payment-t', revision: 0, type: 'PaymentCaptured' },
  ...{ data: { captureId: 'c1' }, correlationId: 'r1', merchant: 'shop', position: 10, at: 19_990 },
  ...given,
})

const arrival = (given: Partial<Arrived>): Arrived => ({
  ...{ id: 'e1', subject: 's', seqno: 1, node: a, at: 20_000 },
  ...given,
})

const work = workOfMerchant('shop')

/** Processes `pa` at a and `pb` at b; `holder` has the shop's lease. */
const leases = (position: number, at: number, by: string, holder: string): Leases => ({
  ...{ position, at, by },
  nodes: { pa: { does: {} }, pb: { does: {} }, [holder]: { does: { [work]: position } } },
})

const first = leases(1, 0, 'pa', 'pa')
const lost = leases(20, 50_000, 'pb', 'pb')

const attempt = (given: Partial<Logged>): Logged =>
  logged({
    ...{ id: 'e2', stream: 'callback-e1', type: 'CallbackAttempted', correlationId: 'x' },
    ...{ data: { result: 'delivered' }, position: 11, at: 20_010, lease: { work, revision: 1 } },
    ...given,
  })

const sound: History = {
  asked: [asked({}), read(20, 'c1')],
  arrived: [arrival({})],
  leases: [first, lost],
  log: [logged({}), attempt({})],
}

/** Another node took the lease before the message was recorded. */
const taken: History = {
  ...sound,
  arrived: [arrival({ at: 42_000 }), arrival({ at: 50_100, node: b })],
  log: [logged({}), attempt({ position: 21, at: 50_200, lease: { work, revision: 20 } })],
}

test('a history in which all is right has no problems', () => {
  expect(problemsIn(sound)).toEqual([])
})

test('a message in flight when its lease was lost may be repeated once', () => {
  expect(problemsIn(taken)).toEqual([])
  // Its first holder was frozen just before sending.
  const [one, other] = taken.arrived
  expect(problemsIn({ ...taken, arrived: [other!, { ...one!, at: 53_000 }] })).toEqual([])
  const third = arrival({ at: 53_000, node: b })
  expect(problemsIn({ ...taken, arrived: [...taken.arrived, third] })).toHaveLength(1)
})

test('a failed attempt in the log may be repeated', () => {
  const failed = attempt({ id: 'e3', data: { result: 'failed' } })
  const again = attempt({ revision: 1, position: 12 })
  const arrived = [arrival({}), arrival({ at: 20_100 })]
  expect(problemsIn({ ...sound, arrived, log: [logged({}), failed, again] })).toEqual([])
})

/** A message of the same payment as in `taken`, repeated for the same reason. */
const another = {
  arrived: [1, 2].map((n) =>
    arrival({ id: 'e5', seqno: 2, at: 50_100 + n, node: n === 1 ? a : b }),
  ),
  log: [
    logged({ id: 'e5', revision: 1, position: 12, data: { captureId: 'c2' } }),
    attempt({ id: 'e6', stream: 'callback-e5', position: 22, lease: { work, revision: 20 } }),
  ],
}
/** The same, with messages that show each process's address. */
const placed = (history: History): History => {
  const places = [
    { id: 'e7', node: a, at: 100, position: 2, revision: 1 },
    { id: 'e8', node: b, at: 90_000, position: 80, revision: history.leases[1]!.position },
  ]
  const log = places.flatMap(({ id, at, position, revision }) => [
    logged({ id, stream: `payment-${id}`, position }),
    attempt({
      ...{ id: `${id}-attempt`, stream: `callback-${id}`, revision: 0 },
      ...{ position: position + 1, at, lease: { work, revision } },
    }),
  ])
  const arrived = places.map(({ id, node, at }) => arrival({ id, subject: id, node, at }))
  return {
    ...history,
    arrived: [...history.arrived, ...arrived],
    log: [...history.log, ...log],
  }
}

test('messages that came in order from those who held the lease have no problems', () => {
  for (const history of [sound, taken]) expect(problemsIn(placed(history))).toEqual([])
})

const without = /was sent by http:..[ab] without its lease/

test.each<[string, History, RegExp]>([
  [
    'a message that comes again after it was recorded',
    { ...taken, log: [logged({}), attempt({ at: 42_100 })] },
    /came again/,
  ],
  [
    'a message that comes again though its holder gave the lease up itself',
    { ...taken, leases: [first, { ...lost, by: 'pa' }] },
    /came again/,
  ],
  [
    'a message that comes again before another has taken the lease',
    placed({ ...taken, leases: [first, { ...lost, at: 60_000 }] }),
    without,
  ],
  [
    'a message that its holder sent twice before it lost the lease',
    { ...taken, arrived: [arrival({ at: 42_000 }), arrival({ at: 43_000 })] },
    /came again/,
  ],
  [
    'two messages of one payment that come again',
    {
      ...taken,
      arrived: [...taken.arrived, ...another.arrived],
      log: [...taken.log, ...another.log],
    },
    /e5 of s came again/,
  ],
  [
    'a message that was told after its sender had lost the lease',
    placed({ ...sound, leases: [first, leases(9, 10_000, 'pb', 'pb')] }),
    without,
  ],
  [
    'a message that is sent by a node that knew that it had lost the lease',
    placed({
      ...taken,
      leases: [first, lost, { ...lost, position: 30, at: 55_000, by: 'pa' }],
      arrived: [arrival({ at: 50_100, node: b }), arrival({ at: 58_001 })],
    }),
    without,
  ],
])('%s is found', (_, history, problem) => {
  expect(problemsIn(history).join()).toMatch(problem)
})

/** Requests, each with a phone number and the person recorded in the log. */
const customers = (...named: readonly (readonly [number: string, person: string])[]) => ({
  asked: named.map(([customer], n) =>
    asked({ kind: 'request', tid: `${n}`, customer, status: 201, requestId: `q${n}` }),
  ),
  arrived: [],
  log: named.map(([, person], n) =>
    logged({
      ...{ id: `p${n}`, stream: `payment-${n}`, type: 'PaymentRequested' },
      ...{ data: { request: { customer: `sealed:${person}:x` } }, correlationId: `q${n}` },
    }),
  ),
})

test('the same customers as the same people have no problems', () => {
  const history = customers(['+471', 'p1'], ['+472', 'p2'], ['+471', 'p1'])
  expect(problemsIn({ ...sound, ...history })).toEqual([])
})

test.each<[string, Partial<History>, RegExp]>([
  ['a customer of whom there are two', customers(['+471', 'p1'], ['+471', 'p2']), /is 2 people/],
  [
    'a customer with the id of another',
    customers(['+471', 'p1'], ['+472', 'p1']),
    /person p1 is \+471 and \+472/,
  ],
  ['a read that lacks what another node acknowledged', { asked: [asked({}), read(20)] }, /show/],
  [
    'a read that goes back behind an earlier one',
    { asked: [asked({ status: null }), read(0, 'c1'), read(20)] },
    /told by a read/,
  ],
  ['an acknowledged capture that is lost', { log: [], arrived: [] }, /is lost/],
  [
    'a capture that stands twice in the log',
    {
      log: [...sound.log, logged({ id: 'e3', revision: 1 })],
      arrived: [arrival({}), arrival({ id: 'e3', seqno: 2 })],
    },
    /2 times in the log/,
  ],
  ['a refusal of what was done', { asked: [asked({ status: 409 })] }, /answered 409/],
  ['a stream with a gap', { log: [logged({ revision: 1 }), ...sound.log.slice(1)] }, /revision 1/],
  ['a message that comes twice', { arrived: [arrival({}), arrival({ at: 20_100 })] }, /came again/],
  [
    'messages in another order',
    { arrived: [arrival({ id: 'e9', seqno: 2, at: 19_000 }), arrival({})] },
    /came as 2, 1/,
  ],
  ['an event that nobody was told', { arrived: [], log: sound.log.slice(0, 1) }, /nobody was told/],
  ['a message recorded without having come', { arrived: [], log: sound.log }, /recorded 1 times/],
])('%s is found', (_, given, problem) => {
  expect(problemsIn({ ...sound, ...given }).join()).toMatch(problem)
})
