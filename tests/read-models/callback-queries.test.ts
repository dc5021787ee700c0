import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { DomainEvent, Recorded } from '../../domain/events.ts'
import type { Instant } from '../../domain/time.ts'
import { makeProjector } from '../../infrastructure/read-models/projector.ts'
import {
  openReadModelFile,
  type ReadModelFile,
} from '../../infrastructure/read-models/read-model-file.ts'
import { projections } from '../../projections/all.ts'
import { callbackQueueQueries } from '../../projections/callback-queries.ts'
import { morning, request, requestEnds } from '../domain/payments.ts'

type Queries = ReturnType<typeof callbackQueueQueries>

let folder: string
let file: ReadModelFile
let apply: (events: readonly Recorded[]) => void
let queue: Queries
let position: number

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'daybook-callback-queries-'))
  file = openReadModelFile(
    folder,
    projections.map(({ table }) => table),
  )
  apply = makeProjector(file, projections).apply
  queue = callbackQueueQueries(file.db)
  position = 0
})

afterEach(async () => {
  file.sqlite.close()
  await rm(folder, { recursive: true })
})

const happened = (stream: string, event: DomainEvent, at = morning, merchant = 'shop'): void => {
  position += 1
  const about = { actor: 'x', correlationId: 'c', causationId: null, schema: 1 }
  const metadata = { ...about, at, merchant: merchant === 'nobody' ? null : merchant }
  apply([{ ...event, id: `e${position}`, stream, revision: 0, position, metadata }])
}

/** A payment with a message to its address. */
const aborted = (tid: string, host: string, at: Instant = morning): void => {
  const changes = { posTid: tid, callbackUri: `http://${host}/path` }
  happened(`payment-${tid}`, {
    type: 'PaymentRequested',
    data: { request: { ...request, ...changes }, payer: null, expiresAt: requestEnds },
  })
  happened(`payment-${tid}`, { type: 'PaymentAborted', data: {} }, at)
}

const attempted = (tid: string, nextAttemptAt: Instant | null): void => {
  const message = queue.find(`payment-${tid}`)!.waiting[0]!
  const { id, subject, revision, event, seqno } = message
  const told = { subject, revision, event, seqno, uri: 'http://a/', attemptedAt: morning }
  const result = nextAttemptAt === null ? 'delivered' : 'failed'
  happened(`callback-${id}`, {
    type: 'CallbackAttempted',
    data: { ...told, result, httpStatus: null, problem: null, nextAttemptAt },
  })
}

const to = (host: string, merchant: string | null = 'shop') => ({
  merchant,
  destination: `http://${host}`,
})

test('at first, all destinations to which something is due are found, each once, and no others', () => {
  aborted('a', 'one')
  aborted('b', 'one')
  aborted('c', 'two')
  aborted('d', 'later', morning + 1)
  aborted('e', 'done')
  attempted('e', null)
  happened(
    'callback-test',
    { type: 'CallbackTestRequested', data: { uri: 'http://one/' } },
    morning,
    'nobody',
  )
  const { news, others, seen } = queue.newlyDue(morning, null)
  expect([news, seen]).toEqual([[], { at: morning, position }])
  expect(new Set(others)).toEqual(new Set([to('one', null), to('one'), to('two')]))
  expect(others).toHaveLength(3)
})

test('then only those with a change, and those that have become due since', () => {
  aborted('a', 'one')
  aborted('b', 'two', morning + 5)
  let { seen } = queue.newlyDue(morning, null)
  const look = (at: Instant) => {
    const { news, others, seen: next } = queue.newlyDue(at, seen)
    seen = next
    return [news, others]
  }
  expect(look(morning + 1)).toEqual([[], []])
  // What happened earlier may be folded later.
  aborted('c', 'three', morning - 1000)
  aborted('d', 'four', morning + 5)
  attempted('a', morning + 5)
  expect(look(morning + 4)).toEqual([[to('three')], []])
  expect(look(morning + 5)).toEqual([[], [to('one'), to('two'), to('four')]])
  attempted('b', morning + 9)
  expect(look(morning + 8)).toEqual([[], []])
  // A clock that was set back comes by what is due once more.
  expect(look(morning)).toEqual([[], []])
  expect(look(morning + 9)).toEqual([[], [to('one'), to('four'), to('two')]])
})

test('what is due to a destination is of one merchant, or of nobody, the longest due first', () => {
  aborted('a', 'one', morning + 2)
  aborted('b', 'one', morning + 1)
  aborted('c', 'one', morning + 9)
  aborted('d', 'two')
  happened(
    'callback-test',
    { type: 'CallbackTestRequested', data: { uri: 'http://one/' } },
    morning,
    'nobody',
  )
  expect(queue.due(to('one'), morning + 2, 10)).toEqual(['payment-b', 'payment-a'])
  expect(queue.due(to('one'), morning + 2, 1)).toEqual(['payment-b'])
  expect(queue.due(to('one', null), morning, 10)).toEqual(['callback-test'])
  expect(queue.dueAnywhere(morning + 1, 10)).toHaveLength(3)
  expect(queue.lineOf('payment-c', morning + 9)).toEqual(to('one'))
  expect(queue.lineOf('payment-c', morning + 8)).toBeUndefined()
})

test('no look for what is due passes by what is not, or was seen before', () => {
  const asked: string[] = []
  const { prepare } = file.sqlite
  file.sqlite.prepare = ((text: string) => {
    asked.push(text)
    return prepare.call(file.sqlite, text)
  }) as typeof prepare
  callbackQueueQueries(file.db)
  const planOf = (part: string): unknown[] => {
    const text = asked.find((one) => one.includes(part))!
    const values = Array(text.split('?').length - 1).fill(1)
    const plan = file.sqlite.prepare(`EXPLAIN QUERY PLAN ${text}`).all(...values)
    return plan.map((step) => (step as { detail: string }).detail)
  }
  const search = (how: string): unknown =>
    expect.arrayContaining([expect.stringContaining(`callback_queue_by_${how}`)])
  expect(planOf('"position" > ?')).toEqual(search('position (position>?)'))
  expect(planOf('select distinct')).toEqual(search('due (dueAt>? AND dueAt<?)'))
  const atLine = search('line (merchant=? AND destination=? AND dueAt<?)')
  expect(planOf('"merchant" is ?')).toEqual(atLine)
})
