import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { payments, pointsOfSale } from '../../domain/aggregates.ts'
import { acceptPayment } from '../../application/answer-payment.ts'
import {
  noStream,
  start,
  StoreUnavailable,
  type EventStore,
} from '../../application/event-store.ts'
import type { Approval, FundingSource } from '../../application/funding.ts'
import { dryRun } from '../../application/find-state.ts'
import { makeHandler, type Context } from '../../application/handle.ts'
import { defaultCacheLimits } from '../../application/generational-cache.ts'
import { parseEvent, type Recorded } from '../../domain/events.ts'
import type { PaymentCommand } from '../../domain/payment/payment-command.ts'
import { Refusal } from '../../domain/refusal.ts'
import { streamOf, within } from '../../domain/stream.ts'
import { timedUuid } from '../../infrastructure/event-store/event-entry.ts'
import { openSqliteEventStore } from '../../infrastructure/event-store/sqlite-event-store.ts'
import { commands, events, morning, part, request } from '../domain/payments.ts'

const { ask, accept, capture, release } = commands

let folder: string

let file: string

let store: EventStore

const stores: EventStore[] = []

/** The same log, opened again, as by another process. */
const another = (): EventStore => {
  const opened = openSqliteEventStore(file)
  stores.push(opened)
  return opened
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'daybook-handle-'))
  file = join(folder, 'events.sqlite')
  store = another()
})

afterAll(async () => {
  for (const store of stores) await store.close()
  await rm(folder, { recursive: true })
})

const handlerOf = (store: EventStore, remembered?: number) =>
  makeHandler({
    store,
    eventId: (stream, revision, command, at) => timedUuid(`${stream}/${revision}/${command}`, at),
    commandId: randomUUID,
    ...(remembered !== undefined && {
      cacheLimits: { ...defaultCacheLimits, streams: remembered },
    }),
  })

/** A store that counts requests and results. */
const counting = (store: EventStore) => {
  const asked = { reads: 0, appends: 0 }
  const read: number[] = []
  const counted: EventStore = {
    ...store,
    readStream: async (...about) => {
      asked.reads += 1
      const events = await store.readStream(...about)
      read.push(...events.map(({ revision }) => revision))
      return events
    },
    append: (...what) => {
      asked.appends += 1
      return store.append(...what)
    },
  }
  return { counted, asked, read }
}

const context: Context = {
  at: morning,
  merchant: 'sandbox',
  actor: 'user:pos1',
  correlationId: 'request-1',
}

type Handler = ReturnType<typeof makeHandler>

const derived = () => 'derived'

const tokens = { access: derived, refresh: derived, code: derived, digest: derived }

const paying =
  ({ handle }: Handler, tid: string) =>
  (command: PaymentCommand) =>
    handle(payments, tid, command, context)

const reasonOf = async (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'accepted',
    (error: unknown) => {
      if (error instanceof Refusal) return error.code
      throw error
    },
  )

const logOf = async (tid: string): Promise<Recorded[]> =>
  (await store.readStream(streamOf(payments, tid))).map(parseEvent)

const typesOf = async (tid: string) => (await logOf(tid)).map(({ type }) => type)

/** A payment of 50.00 that the payer has accepted. */
const authorised = async (handler = handlerOf(store)): Promise<string> => {
  const tid = randomUUID()
  await paying(handler, tid)(ask({ amount: 5000, additionalAmount: 0 }))
  await paying(handler, tid)(accept())
  return tid
}

const capturedOf = async (tid: string): Promise<number> =>
  (await logOf(tid)).reduce(
    (sum, event) => sum + (event.type === 'PaymentCaptured' ? event.data.amount : 0),
    0,
  )

describe('a command', () => {
  test('is decided, and its events are appended with who, when and why', async () => {
    const tid = randomUUID()
    const because = { ...context, causationId: 'e0' }
    const { state, events: made } = await handlerOf(store).handle(
      payments,
      tid,
      ask({}, { payer: 'unknown' }),
      because,
    )
    expect(made).toEqual([events.requested({}, null), events.failed(4004)])
    expect(state).toMatchObject({ status: 'fail', statusCode: 4004 })
    const log = await logOf(tid)
    expect(log.map(({ type, data }) => ({ type, data }))).toEqual(made)
    for (const { metadata } of log) expect(metadata).toEqual({ ...because, schema: 1 })
  })

  test('that nothing led to says so', async () => {
    const tid = await authorised()
    for (const { metadata } of await logOf(tid)) expect(metadata.causationId).toBeNull()
  })

  test('makes events whose ids are derived from stream, revision and command', async () => {
    const tid = randomUUID()
    const handler = makeHandler({
      store,
      eventId: (stream, revision, command, at) => timedUuid(`${stream}/${revision}/${command}`, at),
      commandId: () => 'c1',
    })
    await paying(handler, tid)(ask({}, { payer: 'unknown' }))
    expect((await logOf(tid)).map(({ id }) => id)).toEqual(
      [0, 1].map((revision) => timedUuid(`payment-${tid}/${revision}/c1`, morning)),
    )
  })

  test('that is repeated appends nothing and answers the state as it is', async () => {
    const handler = handlerOf(store)
    const tid = await authorised(handler)
    const pay = paying(handler, tid)
    await pay(capture(part('a', 100)))
    const { state, events } = await pay(capture(part('a', 100)))
    expect(events).toEqual([])
    expect(state).toMatchObject({ captured: { amount: 100 } })
    expect(await typesOf(tid)).toEqual(['PaymentRequested', 'PaymentAuthorized', 'PaymentCaptured'])
  })

  test('that is refused appends nothing', async () => {
    const handler = handlerOf(store)
    const tid = await authorised(handler)
    expect(await reasonOf(paying(handler, tid)(capture(part('a', 5001))))).toBe(
      'capture_exceeds_authorization',
    )
    expect(await typesOf(tid)).toHaveLength(2)
  })
})

describe('many commands to one payment at once', () => {
  test('given 50.00, when 1.00 is captured 100 times under ids of their own, then exactly 50 are accepted', async () => {
    const handler = handlerOf(store)
    const tid = await authorised(handler)
    const ids = Array.from({ length: 100 }, (_, index) => `c${index}`)
    const reasons = await Promise.all(
      ids.map((id) => reasonOf(paying(handler, tid)(capture(part(id, 100))))),
    )
    expect(reasons.filter((reason) => reason === 'accepted')).toHaveLength(50)
    expect(await capturedOf(tid)).toBe(5000)
  })

  test('given 50.00, when 1.00 is captured 100 times under one id, then it is captured once, and all are accepted', async () => {
    const handler = handlerOf(store)
    const tid = await authorised(handler)
    const reasons = await Promise.all(
      Array.from({ length: 100 }, () => reasonOf(paying(handler, tid)(capture(part('c', 100))))),
    )
    expect(new Set(reasons)).toEqual(new Set(['accepted']))
    expect(await capturedOf(tid)).toBe(100)
  })

  test('a refused append does not delay the following ones', async () => {
    const handler = handlerOf(store)
    const tid = await authorised(handler)
    const pay = paying(handler, tid)
    expect(
      await Promise.all([
        reasonOf(pay(capture(part('a', 9999)))),
        reasonOf(pay(capture(part('b', 1)))),
        reasonOf(pay(release())),
        reasonOf(pay(capture(part('c', 1)))),
      ]),
    ).toEqual([
      'capture_exceeds_authorization',
      'accepted',
      'accepted',
      'nothing_is_left_to_capture',
    ])
  })
})

describe('two processes on one log', () => {
  test('capture one payment under distinct ids at the same time: not an øre too much, and nothing lost', async () => {
    const handlers = [handlerOf(store), handlerOf(another())]
    const tid = await authorised()
    const captures = handlers.flatMap((handler, process) =>
      Array.from({ length: 40 }, (_, index) => {
        const id = `p${process}-c${index}`
        return reasonOf(paying(handler, tid)(capture(part(id, 100))))
      }),
    )
    const reasons = await Promise.all(captures)
    expect(reasons.filter((reason) => reason === 'accepted')).toHaveLength(50)
    expect(await capturedOf(tid)).toBe(5000)
    expect(['accepted', 'nothing_is_left_to_capture']).toEqual(expect.arrayContaining(reasons))
  })

  test('one accepts what the other picked up, and asks only that payer for approval', async () => {
    const [ours, theirs] = [handlerOf(store), handlerOf(another())]
    const asked: string[] = []
    const funding: FundingSource = {
      approve: async ({ payer }) => {
        asked.push(payer)
        return null
      },
      cancel: async () => {},
    }
    const accepting = acceptPayment({ ...ours, funding, tokens })
    const tid = randomUUID()
    const accept = (payer: string) =>
      reasonOf(accepting(tid, payer, { additionalAmount: null, credit: false }, context))
    expect(await accept('bob')).toBe('resource_is_unknown')
    await paying(ours, tid)(ask({}, { payer: { shortlink: 'code' } }))
    expect(await accept('bob')).toBe('payment_is_not_picked_up')
    const scanned = { at: morning, payer: 'bob', scan: 'scan-1' }
    await paying(theirs, tid)({ type: 'PickUpPayment', ...scanned })
    expect(await accept('bob')).toBe('accepted')
    expect(await accept('alice')).toBe('payment_is_for_another_payer')
    expect(asked).toEqual(['bob'])
  })

  test.each([
    ['alice has accepted', () => accept({ payer: 'alice' }), 'payment_is_for_another_payer'],
    ['the merchant has aborted', () => release(), 'payment_is_not_pending'],
  ])('what was approved while %s meanwhile is given back', async (_, meanwhile, reason) => {
    const handler = handlerOf(store)
    const held: Approval[] = []
    const tid = randomUUID()
    const funding: FundingSource = {
      approve: async (wanted) => {
        held.push(wanted)
        await paying(handler, tid)(meanwhile())
        return null
      },
      cancel: async (approved) => {
        held.splice(held.indexOf(approved), 1)
      },
    }
    const accepting = acceptPayment({ ...handler, funding, tokens })
    await paying(handler, tid)(ask({ customer: null }, { payer: 'anyone' }))
    const wish = { additionalAmount: null, credit: false }
    expect(await reasonOf(accepting(tid, 'bob', wish, context))).toBe(reason)
    expect(held).toEqual([])
  })

  test('what is approved on one of a payment that was accepted and released on the other is given back', async () => {
    const [ours, theirs] = [handlerOf(store), handlerOf(another())]
    const told: string[] = []
    const funding: FundingSource = {
      approve: async () => {
        told.push('approve')
        return null
      },
      cancel: async () => void told.push('cancel'),
    }
    const accepting = (at: Handler) => acceptPayment({ ...at, funding, tokens })
    const tid = randomUUID()
    await paying(ours, tid)(ask())
    const wish = { additionalAmount: null, credit: false }
    await accepting(theirs)(tid, 'alice', wish, context)
    await accepting(ours)(tid, 'alice', wish, context)
    expect(told).toEqual(['approve', 'approve'])
    const released = randomUUID()
    await paying(ours, released)(ask())
    await accepting(theirs)(released, 'alice', wish, context)
    await paying(theirs, released)(release())
    expect(await reasonOf(accepting(ours)(released, 'alice', wish, context))).toBe('accepted')
    expect(told.slice(2)).toEqual(['approve', 'approve', 'cancel'])
  })

  test('accepting twice at once requests one and the same approval, which stays', async () => {
    const handler = handlerOf(store)
    const held = new Set<string>()
    const funding: FundingSource = {
      approve: async (wanted) => {
        held.add(JSON.stringify(wanted))
        return null
      },
      cancel: async (approved) => {
        held.delete(JSON.stringify(approved))
      },
    }
    const accepting = acceptPayment({ ...handler, funding, tokens })
    const tid = randomUUID()
    await paying(handler, tid)(ask())
    const wish = { additionalAmount: null, credit: false }
    const twice = [1, 2].map(() => reasonOf(accepting(tid, 'alice', wish, context)))
    expect(await Promise.all(twice)).toEqual(['accepted', 'accepted'])
    const approval = {
      payment: tid,
      payer: 'alice',
      currency: 'NOK',
      amount: 11_000,
      credit: false,
    }
    expect([...held]).toEqual([JSON.stringify(approval)])
  })

  test('the funding source approves the whole accepted amount, with tip and credit, only once', async () => {
    const handler = handlerOf(store)
    const asked: Approval[] = []
    const funding: FundingSource = {
      approve: async (wanted) => {
        asked.push(wanted)
        return null
      },
      cancel: async () => {},
    }
    const accepting = acceptPayment({ ...handler, funding, tokens })
    const tid = randomUUID()
    await paying(handler, tid)(ask({ additionalEdit: true, allowCredit: true }))
    const wish = { additionalAmount: 2500, credit: true }
    for (const _ of [1, 2])
      expect(await reasonOf(accepting(tid, 'alice', wish, context))).toBe('accepted')
    const approval = { payment: tid, payer: 'alice', currency: 'NOK', amount: 12_500, credit: true }
    expect(asked).toEqual([approval])
  })

  test('whether a command would be accepted is known from memory, and asked of the log before it is denied', async () => {
    const { counted, asked } = counting(store)
    const [ours, theirs] = [handlerOf(counted), handlerOf(another())]
    const tid = randomUUID()
    await paying(ours, tid)(ask())
    const may = (command: PaymentCommand) => dryRun(ours.find, payments, tid, command)
    expect(await may(accept())).toMatchObject({ status: 'pending' })
    expect(asked.reads).toBe(0)
    await paying(theirs, tid)(accept())
    expect(await may(capture('everything'))).toMatchObject({ status: 'auth' })
    expect(await reasonOf(may(commands.refund(part('r', 1))))).not.toBe('accepted')
    expect(await typesOf(tid)).toEqual(['PaymentRequested', 'PaymentAuthorized'])
  })

  test('capture one payment under the same ids at the same time: each id is captured once', async () => {
    const handlers = [handlerOf(store), handlerOf(another())]
    const tid = await authorised()
    const ids = Array.from({ length: 20 }, (_, index) => `c${index}`)
    const reasons = await Promise.all(
      handlers.flatMap((handler) =>
        ids.map((id) => reasonOf(paying(handler, tid)(capture(part(id, 100))))),
      ),
    )
    expect([...new Set(reasons)]).toEqual(['accepted'])
    const captures = (await logOf(tid)).flatMap((event) =>
      event.type === 'PaymentCaptured' ? [event.data.captureId] : [],
    )
    expect(captures.sort()).toEqual(ids.sort())
  })

  test('a refusal out of memory is decided again after reading what the other has written', async () => {
    const [ours, theirs] = [handlerOf(store), handlerOf(another())]
    const tid = randomUUID()
    await paying(ours, tid)(ask())
    await paying(theirs, tid)(accept())
    const { state } = await paying(ours, tid)(capture('everything'))
    expect(state.status).toBe('ok')
  })

  test('a repeat out of memory is answered with the state that the other has made', async () => {
    const [ours, theirs] = [handlerOf(store), handlerOf(another())]
    const tid = await authorised(ours)
    await paying(ours, tid)(capture(part('a', 100)))
    await paying(theirs, tid)(release())
    const { state, events } = await paying(ours, tid)(capture(part('a', 100)))
    expect(events).toEqual([])
    expect(state.status).toBe('ok')
  })

  test('a consent out of memory meets the other’s events, and is decided again', async () => {
    const [ours, theirs] = [handlerOf(store), handlerOf(another())]
    const tid = await authorised(ours)
    await paying(theirs, tid)(capture(part('a', 4950)))
    expect(await reasonOf(paying(ours, tid)(capture(part('b', 51))))).toBe(
      'capture_exceeds_authorization',
    )
    expect(await reasonOf(paying(ours, tid)(capture(part('a', 4950))))).toBe('accepted')
    expect(await reasonOf(paying(ours, tid)(capture(part('b', 50))))).toBe('accepted')
    expect(await capturedOf(tid)).toBe(5000)
  })

  test('a payment requested on both at once is requested once', async () => {
    const tid = randomUUID()
    const both = [handlerOf(store), handlerOf(another())]
    const reasons = await Promise.all(both.map((handler) => reasonOf(paying(handler, tid)(ask()))))
    expect(reasons).toEqual(['accepted', 'accepted'])
    expect(await typesOf(tid)).toEqual(['PaymentRequested'])
  })

  test('when every attempt finds that another was first, the command is refused as conflicting', async () => {
    const tid = await authorised()
    let others = 0
    const overtaken: EventStore = {
      ...store,
      append: async (stream, events, expected) => {
        others += 1
        await paying(handlerOf(store), tid)(capture(part(`o${others}`, 1)))
        return store.append(stream, events, expected)
      },
    }
    const reason = await reasonOf(paying(handlerOf(overtaken), tid)(capture(part('a', 1))))
    expect(reason).toBe('conflicting_changes')
    expect(others).toBeGreaterThanOrEqual(3)
    expect(await capturedOf(tid)).toBe(others)
  })
})

describe('when the store fails', () => {
  const unavailable = new StoreUnavailable('the disk is gone')

  test('on reading, the command fails with that, and can be sent again', async () => {
    const tid = await authorised()
    let isDown = true
    const failing: EventStore = {
      ...store,
      readStream: (...about) => (isDown ? Promise.reject(unavailable) : store.readStream(...about)),
    }
    const handler = handlerOf(failing)
    await expect(paying(handler, tid)(capture(part('a', 1)))).rejects.toBe(unavailable)
    isDown = false
    await paying(handler, tid)(capture(part('a', 1)))
    expect(await capturedOf(tid)).toBe(1)
  })

  test('the commands that wait behind one fail with it at once, and a later one is tried', async () => {
    const tid = await authorised()
    const { counted, asked } = counting(store)
    let append: EventStore['append'] = (...what) =>
      counted.append(...what).then(() => Promise.reject(unavailable))
    const failing: EventStore = { ...counted, append: (...what) => append(...what) }
    const pay = paying(handlerOf(failing), tid)
    const captures = ['a', 'b', 'c', 'd'].map((id) => pay(capture(part(id, 1))))
    for (const answer of captures) await expect(answer).rejects.toBe(unavailable)
    expect(asked.appends).toBe(1)
    append = counted.append
    await pay(capture(part('b', 1)))
    expect(await capturedOf(tid)).toBe(2)
  })

  test.each([[true], [false]])(
    'after it has appended but before it has said so, the command sent again has the effect of one (in memory: %s)',
    async (isInMemory) => {
      const tid = await authorised()
      let isDown = true
      const { counted, asked } = counting(store)
      const failing: EventStore = {
        ...store,
        append: async (...what) => {
          const appended = await counted.append(...what)
          if (isDown) throw unavailable
          return appended
        },
      }
      const handler = handlerOf(failing)
      if (isInMemory) await handler.find(payments, tid)
      await expect(paying(handler, tid)(capture(part('a', 1)))).rejects.toBe(unavailable)
      expect(asked.appends).toBe(1)
      isDown = false
      await paying(handler, tid)(capture(part('a', 1)))
      await paying(handler, tid)(capture('everything'))
      expect(await capturedOf(tid)).toBe(5000)
      expect(await typesOf(tid)).toHaveLength(4)
    },
  )

  test('after being closed, it is the store that says so', async () => {
    const closed = openSqliteEventStore(file)
    const handler = handlerOf(closed)
    const tid = await authorised(handler)
    await closed.close()
    await expect(paying(handler, tid)(capture(part('a', 1)))).rejects.toThrow(StoreUnavailable)
  })

  test('a command rejects if its stream has an event unknown to this version', async () => {
    const tid = randomUUID()
    const unknown = { id: randomUUID(), type: 'PaymentVanished', data: {}, metadata: {} }
    const odd = openSqliteEventStore(join(folder, 'odd.sqlite'))
    stores.push(odd)
    await odd.append(streamOf(payments, tid), [unknown], noStream)
    await expect(paying(handlerOf(odd), tid)(ask())).rejects.toThrow('knows no such type')
  })
})

describe('what is remembered', () => {
  test('a new payment is not looked for, nor is one in memory read again to be captured', async () => {
    const { counted, asked } = counting(store)
    const handler = handlerOf(counted)
    const tid = await authorised(handler)
    expect(asked).toEqual({ reads: 0, appends: 2 })
    await paying(handler, tid)(capture(part('a', 1)))
    await paying(handler, tid)(capture(part('b', 1)))
    expect(asked).toEqual({ reads: 0, appends: 4 })
  })

  test('as many as the limit are remembered, at most twice as many, and the longest untouched go first', async () => {
    const { counted, asked } = counting(store)
    const handler = handlerOf(counted, 2)
    const [a, b, c, d] = [
      await authorised(),
      await authorised(),
      await authorised(),
      await authorised(),
    ]
    const touch = async (tid: string): Promise<boolean> => {
      const before = asked.reads
      await paying(handler, tid)(capture(part(randomUUID(), 1)))
      return asked.reads === before
    }
    expect([await touch(a), await touch(b)]).toEqual([false, false])
    expect([await touch(a), await touch(b), await touch(a)]).toEqual([true, true, true])
    expect(await touch(c)).toBe(false)
    expect(await touch(a)).toBe(true)
    expect(await touch(d)).toBe(false)
    expect(await touch(b)).toBe(false)
    expect([await touch(d), await touch(b)]).toEqual([true, true])
    expect(await capturedOf(a)).toBe(4)
  })

  test('a payment is recalled only while it is in memory, and a recall keeps it there', async () => {
    const handler = handlerOf(store, 1)
    const [a, b, c] = [await authorised(), await authorised(), await authorised()]
    expect(handler.recall(payments, a)).toBeUndefined()
    await handler.find(payments, a)
    await handler.find(payments, b)
    expect(handler.recall(payments, a)).toMatchObject({ status: 'auth' })
    await handler.find(payments, c)
    expect(handler.recall(payments, b)).toBeUndefined()
    expect(handler.recall(payments, a)).toMatchObject({ status: 'auth' })
  })

  test('a payment that nobody made is found as unrequested, and not cached', async () => {
    const handler = handlerOf(store)
    const tid = randomUUID()
    expect(await handler.find(payments, tid)).toEqual({ status: 'unrequested' })
    expect(handler.recall(payments, tid)).toBeUndefined()
    await paying(handlerOf(another()), tid)(ask())
    expect(await handler.find(payments, tid)).toMatchObject({ status: 'pending' })
  })

  test('is found as remembered, or as it stands in the log', async () => {
    const [ours, theirs] = [handlerOf(store), handlerOf(another())]
    const tid = await authorised(ours)
    await paying(theirs, tid)(release())
    expect(await ours.find(payments, tid)).toMatchObject({ status: 'auth' })
    expect(await ours.find(payments, tid, 'log')).toMatchObject({ status: 'fail' })
    expect(await ours.find(payments, tid)).toMatchObject({ status: 'fail' })
  })

  test('is found as it stood at a position of the log, whatever has happened since', async () => {
    const handler = handlerOf(store)
    const tid = await authorised(handler)
    const [asked, accepted] = await logOf(tid)
    await paying(handler, tid)(release())
    const statusAt = async (position: number) =>
      (await handler.find(payments, tid, position)).status
    expect(await statusAt(asked!.position - 1)).toBe('unrequested')
    expect(await statusAt(asked!.position)).toBe('pending')
    expect(await statusAt(accepted!.position)).toBe('auth')
    expect(await handler.find(payments, tid)).toMatchObject({ status: 'fail' })
  })

  test('is not believed when newer events of another process have come by, but is when they are its own', async () => {
    const [ours, theirs] = [handlerOf(store), handlerOf(another())]
    const tid = await authorised(ours)
    ours.observe(await logOf(tid))
    expect(ours.recall(payments, tid)).toMatchObject({ status: 'auth' })
    await paying(theirs, tid)(release())
    ours.observe(await logOf(tid))
    expect(ours.recall(payments, tid)).toBeUndefined()
    expect(await ours.find(payments, tid)).toMatchObject({ status: 'fail' })
  })

  test('is gone on from when newer events of another process have come by: a command reads those alone, and appends once', async () => {
    const { counted, asked, read } = counting(store)
    const [ours, theirs] = [handlerOf(counted), handlerOf(another())]
    const tid = await authorised(ours)
    await paying(theirs, tid)(capture(part('a', 100)))
    ours.observe(await logOf(tid))
    expect(ours.recall(payments, tid)).toBeUndefined()
    const { state } = await paying(ours, tid)(capture(part('b', 100)))
    expect(state).toMatchObject({ captured: { amount: 200 } })
    expect([asked, read]).toEqual([{ reads: 1, appends: 3 }, [2]])

    await paying(theirs, tid)(capture(part('c', 100)))
    ours.observe(await logOf(tid))
    expect(await ours.find(payments, tid)).toMatchObject({ captured: { amount: 300 } })
    expect(await ours.find(payments, tid)).toBe(ours.recall(payments, tid))
    expect([asked, read]).toEqual([{ reads: 2, appends: 3 }, [2, 4]])
  })

  test('is asked of the log once, and no more, by a command that is then refused', async () => {
    const { counted, asked } = counting(store)
    const [ours, theirs] = [handlerOf(counted), handlerOf(another())]
    const tid = await authorised(ours)
    await paying(theirs, tid)(capture('everything'))
    ours.observe(await logOf(tid))
    const reason = await reasonOf(paying(ours, tid)(capture(part('a', 1))))
    expect(reason).toBe('nothing_is_left_to_capture')
    expect(asked).toEqual({ reads: 1, appends: 2 })
  })

  test('stays known to be old, however much else has come by since', async () => {
    const ours = handlerOf(store, 1)
    const others = [await authorised(), await authorised(), await authorised()]
    const tid = await authorised(ours)
    await paying(handlerOf(another()), tid)(release())
    for (const one of [tid, ...others]) ours.observe(await logOf(one))
    expect(ours.recall(payments, tid)).toBeUndefined()
    expect(await ours.find(payments, tid)).toMatchObject({ status: 'fail' })
  })

  test('is not what a slow read brings after a faster one, which began later, has brought more', async () => {
    const tid = await authorised()
    const reads: (() => void)[] = []
    const slow: EventStore = {
      ...store,
      readStream: async (...about) => {
        const read = await store.readStream(...about)
        await new Promise<void>((resolve) => reads.push(resolve))
        return read
      },
    }
    const ours = handlerOf(slow)
    const begun = async (count: number): Promise<void> => {
      while (reads.length < count) await turn()
    }
    const slower = ours.find(payments, tid)
    await begun(1)
    await paying(handlerOf(another()), tid)(release())
    const faster = ours.find(payments, tid)
    await begun(2)
    reads[1]?.()
    expect(await faster).toMatchObject({ status: 'fail' })
    reads[0]?.()
    expect(await slower).toMatchObject({ status: 'auth' })
    expect(ours.recall(payments, tid)).toMatchObject({ status: 'fail' })
  })

  test('is not what a slow read brings after newer events have come by', async () => {
    const tid = await authorised()
    let ours: Handler
    const slow: EventStore = {
      ...store,
      readStream: async (...about) => {
        const read = await store.readStream(...about)
        await paying(handlerOf(another()), tid)(release())
        ours.observe(await logOf(tid))
        return read
      },
    }
    ours = handlerOf(slow)
    expect(await ours.find(payments, tid)).toMatchObject({ status: 'auth' })
    expect(ours.recall(payments, tid)).toBeUndefined()
  })

  test('equals, at any time, what is folded from the log', async () => {
    const handler = handlerOf(store)
    const tid = await authorised(handler)
    await paying(handler, tid)(capture(part('a', 100)))
    await paying(handler, tid)(commands.refund(part('r', 50), 'Cold soup'))
    await paying(handler, tid)(release())
    const remembered = handler.recall(payments, tid)
    expect(remembered).toEqual(await handlerOf(store).find(payments, tid, 'log'))
  })
})

describe('streams', () => {
  test('of an aggregate carry its category and its id', () => {
    expect(streamOf(payments, 't1')).toBe('payment-t1')
  })

  test('of what is unique within a merchant are ASCII, and no two pairs share one', () => {
    const pairs = [
      ['a', 'b/c'],
      ['a/b', 'c'],
      ['a', 'b%2Fc'],
      ['å', 'ø'],
      ['', 'a/'],
      ['/', 'a'],
      ['', '/a'],
    ] as const
    const names = pairs.map(([merchant, id]) => within(merchant, id))
    expect(new Set(names).size).toBe(pairs.length)
    for (const name of names) expect(name).toMatch(/^[\x20-\x7e]+$/)
  })

  test('of two aggregates with one id are two', async () => {
    const handler = handlerOf(store)
    const id = randomUUID()
    await paying(handler, id)(ask())
    const data = {
      merchant: request.merchant,
      id,
      name: 'Till',
      type: 'store',
      location: null,
    } as const
    const { state } = await handler.handle(pointsOfSale, id, { type: 'Register', data }, context)
    expect(state.status).toBe('present')
  })
})

test('the log of all this holds each event once, in an order that every stream keeps', async () => {
  const last = new Map<string, number>()
  const ids = new Set<string>()
  for await (const batch of store.readAll(start))
    for (const { id, stream, revision } of batch) {
      expect(ids.has(id)).toBe(false)
      ids.add(id)
      expect(revision).toBe((last.get(stream) ?? noStream) + 1)
      last.set(stream, revision)
    }
  expect(ids.size).toBeGreaterThan(100)
})
