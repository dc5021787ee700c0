import { beforeEach, expect, test } from 'vitest'
import type { Instant } from '../../domain/time.ts'
import { callbackDestinationQueries } from '../../projections/callback-destinations.ts'
import { callbackMessageQueries } from '../../projections/callback-messages.ts'
import { callbackQueueQueries } from '../../projections/callback-queue.ts'
import { events, hours, morning } from '../domain/payments.ts'
import { foldedFile } from './folded-file.ts'

const file = foldedFile()

const { happened } = file

let queue: ReturnType<typeof callbackQueueQueries>

beforeEach(() => {
  queue = callbackQueueQueries(file.db)
})

/** A payment with a callback to its address. */
const aborted = (tid: string, host: string, at: Instant = morning): void => {
  const changes = { posTid: tid, callbackUri: `http://${host}/path` }
  happened(`payment-${tid}`, events.requested(changes, null))
  happened(`payment-${tid}`, { type: 'PaymentAborted', data: {} }, { at })
}

type Attempt = {
  readonly result?: 'gone'
  readonly problem?: string
  readonly attemptedAt?: Instant
}

const attempted = (tid: string, nextAttemptAt: Instant | null, given: Attempt = {}): void => {
  const { waiting, callbackUri: uri } = queue.find(`payment-${tid}`)!
  const message = waiting[0]!
  const { id, subject, revision, event, seqno } = message
  const told = { subject, revision, event, seqno, uri: uri!, attemptedAt: morning }
  const result = nextAttemptAt === null ? 'delivered' : 'failed'
  happened(`callback-${id}`, {
    type: 'CallbackAttempted',
    data: { ...told, result, httpStatus: null, problem: null, nextAttemptAt, ...given },
  })
}

const to = (host: string, merchant: string | null = 'sandbox') => ({
  merchant,
  destination: `http://${host}`,
})

test('at first, all destinations to which something is due are found once, and no others', () => {
  aborted('a', 'one')
  aborted('b', 'one')
  aborted('c', 'two')
  aborted('d', 'later', morning + 1)
  aborted('e', 'done')
  attempted('e', null)
  happened(
    'callback-test',
    { type: 'CallbackTestRequested', data: { uri: 'http://one/' } },
    { merchant: null },
  )
  const { changed, elapsed, lastCheck } = queue.newlyDue(morning, null)
  expect([changed, lastCheck]).toEqual([[], { at: morning, position: file.position() }])
  expect(new Set(elapsed)).toEqual(new Set([to('one', null), to('one'), to('two')]))
  expect(elapsed).toHaveLength(3)
})

test('then only those with a change, and those that have become due since', () => {
  aborted('a', 'one')
  aborted('b', 'two', morning + 5)
  let { lastCheck } = queue.newlyDue(morning, null)
  const look = (at: Instant) => {
    const { changed, elapsed, lastCheck: next } = queue.newlyDue(at, lastCheck)
    lastCheck = next
    return [changed, elapsed]
  }
  expect(look(morning + 1)).toEqual([[], []])
  // Earlier events may be folded later.
  aborted('c', 'three', morning - 1000)
  aborted('d', 'four', morning + 5)
  attempted('a', morning + 5)
  expect(look(morning + 4)).toEqual([[to('three')], []])
  expect(look(morning + 5)).toEqual([[], [to('one'), to('two'), to('four')]])
  attempted('b', morning + 9)
  expect(look(morning + 8)).toEqual([[], []])
  // A clock that was set back finds due messages again.
  expect(look(morning)).toEqual([[], []])
  expect(look(morning + 9)).toEqual([[], [to('one'), to('four'), to('two')]])
})

test('a message from a clock that was ahead is due once the one before it is sent', () => {
  const ahead = morning + 5 * 24 * hours
  aborted('a', 'one', ahead)
  const { waiting } = queue.find('payment-a')!
  const [first] = waiting
  happened('payment-a', { type: 'PaymentAborted', data: {} }, { at: ahead + 1 })
  const { attempts: _, id, ...message } = first!
  const data = { ...message, nextAttemptAt: morning }
  happened(`callback-${id}`, { type: 'CallbackRetryRequested', data })
  attempted('a', null)
  expect(queue.find('payment-a')?.waiting).toMatchObject([{ nextAttemptAt: morning }])
  expect(queue.due(to('one'), morning, 10)).toEqual(['payment-a'])
})

test('messages due to a destination belong to one merchant, or to none, longest due first', () => {
  aborted('a', 'one', morning + 2)
  aborted('b', 'one', morning + 1)
  aborted('c', 'one', morning + 9)
  aborted('d', 'two')
  happened(
    'callback-test',
    { type: 'CallbackTestRequested', data: { uri: 'http://one/' } },
    { merchant: null },
  )
  expect(queue.due(to('one'), morning + 2, 10)).toEqual(['payment-b', 'payment-a'])
  expect(queue.due(to('one'), morning + 2, 1)).toEqual(['payment-b'])
  expect(queue.due(to('one', null), morning, 10)).toEqual(['callback-test'])
  expect(queue.dueAnywhere(morning + 1, 10)).toHaveLength(3)
  expect(queue.laneOf('payment-c', morning + 9)).toEqual(to('one'))
  expect(queue.laneOf('payment-c', morning + 8)).toBeUndefined()
})

test('messages that were tried and have not arrived are apart from those that wait', () => {
  const messages = callbackMessageQueries(file.db)
  const about = (...statuses: Parameters<typeof messages.list>[1] & object) =>
    messages.list('sandbox', statuses, Number.MAX_SAFE_INTEGER, 10).map((row) => row.subject)
  for (const tid of ['new', 'down', 'gone', 'done']) aborted(tid, 'one')
  const { id, ...message } = queue.find('payment-gone')!.waiting[0]!
  attempted('down', morning + 1, { problem: 'no answer' })
  attempted('gone', null, { result: 'gone', problem: 'not here' })
  attempted('done', morning + 1, { problem: 'no answer' })
  attempted('done', null)
  expect(about('waiting')).toEqual(['payment-new'])
  expect(about('failing', 'abandoned')).toEqual(['payment-gone', 'payment-down'])
  const known = messages.list('sandbox', undefined, Number.MAX_SAFE_INTEGER, 10)
  expect(known.map(({ problem }) => problem)).toEqual([null, 'not here', 'no answer', null])
  expect(messages.allOf('waiting').map((row) => row.subject)).toEqual([
    ...['payment-down', 'payment-new'],
  ])
  const { attempts: _, ...retried } = message
  const data = { ...retried, nextAttemptAt: morning }
  happened(`callback-${id}`, { type: 'CallbackRetryRequested', data })
  expect(about('failing')).toEqual(['payment-gone', 'payment-down'])
})

test('a message that arrived has not failed when it is to be sent again, and again', () => {
  const messages = callbackMessageQueries(file.db)
  aborted('a', 'one')
  const { id, attempts: _, ...message } = queue.find('payment-a')!.waiting[0]!
  attempted('a', null)
  for (const nextAttemptAt of [morning, morning + 1]) {
    const data = { ...message, nextAttemptAt }
    happened(`callback-${id}`, { type: 'CallbackRetryRequested', data })
    const [row] = messages.list('sandbox', undefined, Number.MAX_SAFE_INTEGER, 1)
    expect(row).toMatchObject({ status: 'waiting', attempts: 1 })
  }
})

test('a page of messages of some statuses reads no others, and sorts nothing', () => {
  const asked = () => {
    callbackMessageQueries(file.db).list('m', ['waiting', 'failing'], 1, 1)
  }
  expect(file.plansOf(asked, 'callback_messages')).toEqual([
    [expect.stringContaining('callback_messages_by_status (merchant=? AND status=? AND place<?)')],
  ])
})

test('a destination is a scheme and a host, however they are written', () => {
  aborted('a', 'one')
  aborted('b', 'ONE')
  expect(queue.due(to('one'), morning, 10)).toEqual(['payment-a', 'payment-b'])
})

test('no look for what is due passes by what is not, or was seen before', () => {
  const planOf = (part: string) => file.plansOf(() => callbackQueueQueries(file.db), part).flat()
  const search = (how: string): unknown =>
    expect.arrayContaining([expect.stringContaining(`callback_queue_by_${how}`)])
  expect(planOf('"position" > ?')).toEqual(search('position (position>?)'))
  expect(planOf('select distinct')).toEqual(search('due (dueAt>? AND dueAt<?)'))
  const atLane = search('lane (merchant=? AND destination=? AND dueAt<?)')
  expect(planOf('"merchant" is ?')).toEqual(atLane)
})

test('an address fails since its first failure, also when it is woken and tried again', () => {
  const { failing } = callbackDestinationQueries(file.db)
  const address = 'http://one'
  const told = () =>
    failing('sandbox', 9).map(({ failingSince, wokenAt, restedAt }) => [
      ...[failingSince, wokenAt, restedAt],
    ])
  aborted('a', 'one')
  attempted('a', morning + 10, { attemptedAt: morning + 1 })
  attempted('a', morning + 20, { attemptedAt: morning + 2 })
  expect(told()).toEqual([[morning + 1, null, null]])
  const stream = `destination-sandbox/${address}`
  const rested = { destination: address, failingSince: morning + 1, problem: null }
  happened(stream, { type: 'DestinationRested', data: rested }, { at: morning + 3 })
  const woken = { type: 'DestinationWoken', data: { destination: address } } as const
  happened(stream, woken, { at: morning + 4 })
  attempted('a', morning + 30, { attemptedAt: morning + 5 })
  expect(told()).toEqual([[morning + 1, morning + 4, null]])
  attempted('a', null, { attemptedAt: morning + 6 })
  expect(told()).toEqual([])
})
