import { expect, test } from 'vitest'
import { problemsIn } from './check.ts'
import type { Arrived, Asked, History, Logged } from './history.ts'

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
  ...{ data: { captureId: 'c1' }, correlationId: 'r1' },
  ...given,
})

const arrival = (given: Partial<Arrived>): Arrived => ({
  ...{ id: 'e1', subject: 's', seqno: 1, node: a, at: 20_000 },
  ...given,
})

const sound: History = {
  asked: [asked({}), read(20, 'c1')],
  arrived: [arrival({})],
  faults: [{ kind: 'freeze', node: a, at: 40_000, until: 55_000 }],
  log: [
    logged({}),
    logged({
      ...{ id: 'e2', stream: 'callback-e1', type: 'CallbackAttempted', correlationId: 'x' },
      data: { result: 'delivered' },
    }),
  ],
}

test('a history in which all is right has no problems', () => {
  expect(problemsIn(sound)).toEqual([])
})

test('what was under way when its node was frozen may come again, once', () => {
  const again = arrival({ at: 47_000, node: b })
  const before = arrival({ at: 39_000 })
  expect(problemsIn({ ...sound, arrived: [before, again] })).toEqual([])
  const third = arrival({ at: 48_000, node: b })
  expect(problemsIn({ ...sound, arrived: [before, again, third] })).toHaveLength(1)
})

test.each<[string, Partial<History>, RegExp]>([
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
  ['a message that comes again', { arrived: [arrival({}), arrival({ at: 20_100 })] }, /came again/],
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
