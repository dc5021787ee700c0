import fc from 'fast-check'
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { payments } from '../../application/aggregates.ts'
import { start, type EventStore } from '../../application/event-store.ts'
import type { Movement } from '../../application/funding-source.ts'
import { makeHandler, type Context } from '../../application/handle.ts'
import { beginTelling, tellFundingSource } from '../../application/tell-funding-source.ts'
import { parseEvent } from '../../domain/events.ts'
import { funding } from '../../domain/payment/funding.ts'
import type { PaymentCommand } from '../../domain/payment/payment-command.ts'
import { Refusal } from '../../domain/refusal.ts'
import { idIn } from '../../domain/stream.ts'
import { authorizationLifetime } from '../../domain/time.ts'
import { openCore } from '../../infrastructure/core.ts'
import { openSqliteEventStore } from '../../infrastructure/event-store/sqlite-event-store.ts'
import { makeLog } from '../../infrastructure/log.ts'
import { makeProcesses } from '../../infrastructure/processes.ts'
import { readSettings } from '../../infrastructure/settings.ts'
import { examplesOf } from '../domain/given.ts'
import { authorizationEnds, commands, morning, part } from '../domain/payments.ts'

const { ask, accept, capture, release, refund, renew, expire } = commands

const directory = mkdtempSync(join(tmpdir(), 'daybook-'))
const open: { close(): Promise<void> }[] = []
afterAll(async () => {
  for (const one of open) await one.close()
  rmSync(directory, { recursive: true })
})

const context: Context = { at: morning, merchant: 'sandbox', actor: 'test', correlationId: 'test' }
const running = new AbortController().signal

type Heard = readonly [call: string, movement: Movement]

/** A bank that writes down what it is told; it may refuse to listen. */
const bank = (listens: (movement: Movement) => boolean = () => true) => {
  const heard: Heard[] = []
  let tell = (): void => {}
  const hasHeard = new Promise<void>((resolve) => (tell = resolve))
  const hear = (call: string) => async (movement: Movement) => {
    if (!listens(movement)) throw new Error('the bank is closed')
    heard.push([call, movement])
    tell()
  }
  const moves = { capture: hear('capture'), release: hear('release'), refund: hear('refund') }
  return { heard, hasHeard, moves }
}

/** A log of its own. */
const freshStore = (): EventStore => {
  const store = openSqliteEventStore(join(directory, `${randomUUID()}.sqlite`))
  open.push(store)
  return store
}

/** A process on a log, as it is after a start. */
const processOn = (store: EventStore, { moves }: Pick<ReturnType<typeof bank>, 'moves'>) => {
  const handler = makeHandler({ store, eventId: () => randomUUID(), commandId: randomUUID })
  const { handle, find } = handler
  const look = tellFundingSource({ store, handle, find, moves, newId: randomUUID })
  return {
    ...handler,
    begin: () => beginTelling({ store, handle, context }),
    tell: (stopped: AbortSignal = running) => look(morning, stopped),
    /** Carries out the commands, one after another; what is refused changes nothing. */
    pay: async (tid: string, ...given: readonly PaymentCommand[]): Promise<void> => {
      for (const command of given)
        await handle(payments, tid, command, context).catch((error: unknown) => {
          if (!(error instanceof Refusal)) throw error
        })
    },
  }
}

/** Kind and amount of each movement that stands in the log, by payment. */
const movementsIn = async (store: EventStore) => {
  const moved = new Map<string, (readonly [string, number])[]>()
  for await (const batch of store.readAll(start))
    for (const stored of batch) {
      const { type, data, stream } = parseEvent(stored)
      if (!/^Payment(Captured|Released|AuthorizationExpired|Refunded)$/.test(type)) continue
      const { amount, additionalAmount } = data as { amount: number; additionalAmount: number }
      const call = { PaymentCaptured: 'capture', PaymentRefunded: 'refund' }[String(type)]
      const before = moved.get(idIn(stream)) ?? []
      moved.set(idIn(stream), [...before, [call ?? 'release', amount + additionalAmount]])
    }
  return moved
}

const heardOf = (heard: readonly Heard[], tid: string) =>
  heard.filter(([, movement]) => movement.tid === tid)

describe('the funding source', () => {
  test('is told what is captured, released and refunded, of whom and how much, both pots together', async () => {
    const store = freshStore()
    const source = bank()
    const service = processOn(store, source)
    await service.begin()
    await service.pay('lunch', ask(), accept(), capture(part('a', 6000, 500)), release())
    await service.pay('lunch', refund(part('r', 1000)))
    await service.pay('late', ask(), accept(), renew(), expire(authorizationEnds))
    await service.pay('never', ask(), release())
    await service.tell()
    const movement = { payer: 'alice', currency: 'NOK', at: morning }
    expect(heardOf(source.heard, 'lunch')).toMatchObject([
      ['capture', { ...movement, kind: 'capture', amount: 6500 }],
      ['release', { ...movement, kind: 'release', amount: 4500 }],
      ['refund', { ...movement, kind: 'refund', amount: 1000 }],
    ])
    expect(heardOf(source.heard, 'late')).toMatchObject([['release', { amount: 11_000 }]])
    expect(heardOf(source.heard, 'never')).toEqual([])
    const ids = (await store.readStream('payment-lunch')).slice(2).map(({ id }) => id)
    expect(heardOf(source.heard, 'lunch').map(([, { id }]) => id)).toEqual(ids)
  })

  test('is told once, also after a restart, and of nothing that was there before it began', async () => {
    const store = freshStore()
    const source = bank()
    const before = processOn(store, source)
    await before.pay('old', ask(), accept(), capture(part('a', 100)))
    await before.begin()
    await before.pay('new', ask(), accept(), capture(part('a', 200)))
    await before.tell()
    await before.tell()
    const after = processOn(store, source)
    await after.begin()
    await after.tell()
    await after.pay('old', capture(part('b', 300)))
    await after.tell()
    expect(source.heard.map(([, { tid, amount }]) => [tid, amount])).toEqual([
      ['new', 200],
      ['old', 300],
    ])
  })

  test('that does not take a movement is told again, later ones of that payment wait, others do not', async () => {
    const store = freshStore()
    let isClosed = true
    const source = bank(({ tid }) => !isClosed || tid !== 'stuck')
    const service = processOn(store, source)
    await service.begin()
    await service.pay('stuck', ask(), accept(), capture(part('a', 100)), release())
    await service.pay('other', ask(), accept(), capture('everything'))
    for (let tries = 0; tries < 2; tries++)
      await expect(service.tell()).rejects.toThrow('the bank is closed')
    expect(source.heard.map(([call, { tid }]) => [call, tid])).toEqual([['capture', 'other']])
    isClosed = false
    await service.tell()
    expect(source.heard.map(([call, { tid }]) => [call, tid])).toEqual([
      ['capture', 'other'],
      ['capture', 'stuck'],
      ['release', 'stuck'],
    ])
  })

  test('is told no more once the service stops; the next start tells the rest', async () => {
    const store = freshStore()
    const stopping = new AbortController()
    const source = bank(() => {
      stopping.abort()
      return true
    })
    const service = processOn(store, source)
    await service.begin()
    await service.pay('lunch', ask(), accept(), capture(part('a', 100)), release())
    await service.tell(stopping.signal)
    expect(source.heard.map(([call]) => call)).toEqual(['capture'])
    await processOn(store, source).tell()
    expect(source.heard.map(([call]) => call)).toEqual(['capture', 'release'])
  })

  test('adds one event to the log for many movements, and none for what moves nothing', async () => {
    const store = freshStore()
    const service = processOn(store, bank())
    await service.begin()
    const records = async () => (await store.readStream('funding-source')).length
    expect(await records()).toBe(1)
    await service.pay('lunch', ask(), accept(), capture(part('a', 100)), capture(part('b', 100)))
    await service.tell()
    expect(await records()).toBe(2)
    await service.pay('dinner', ask(), accept())
    await service.tell()
    await service.tell()
    expect(await records()).toBe(2)
  })

  const anyCommand = fc.oneof(
    fc.nat(3).map((n) => capture(part(`c${n}`, 1000 + n))),
    fc.nat(3).map((n) => refund(part(`r${n}`, 100 + n))),
    fc.constantFrom(release(), renew(), capture('everything'), expire(authorizationEnds)),
  )
  const anyStep = fc.oneof(
    { weight: 6, arbitrary: fc.record({ tid: fc.constantFrom('a', 'b', 'c'), pay: anyCommand }) },
    { weight: 2, arbitrary: fc.record({ closedFor: fc.nat(4) }) },
    { weight: 1, arbitrary: fc.constant('restart' as const) },
  )

  test('has heard, whatever fails and restarts, all movements of each payment in their order, and no other', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyStep, { maxLength: 40 }), async (steps) => {
        const store = freshStore()
        let refusals = 0
        const source = bank(() => refusals-- <= 0)
        let service = processOn(store, source)
        await service.begin()
        for (const tid of ['a', 'b', 'c']) await service.pay(tid, ask(), accept())
        for (const step of steps)
          if (step === 'restart') service = processOn(store, source)
          else if ('tid' in step) await service.pay(step.tid, step.pay)
          else {
            refusals = step.closedFor
            await service.tell().catch(() => {})
          }
        refusals = 0
        await service.tell()
        const moved = await movementsIn(store)
        for (const tid of ['a', 'b', 'c']) {
          const seen = new Set<string>()
          const first = heardOf(source.heard, tid).filter(([, { id }]) => {
            const isNew = !seen.has(id)
            seen.add(id)
            return isNew
          })
          expect(first.map(([call, { amount }]) => [call, amount])).toEqual(moved.get(tid) ?? [])
        }
        const wasRestarted = steps.includes('restart')
        const told = source.heard.map(([, { id }]) => id)
        if (!wasRestarted) expect(new Set(told).size).toBe(told.length)
      }),
      { numRuns: 60 },
    )
  })

  test('is told by the running service, beside the requests, also what expires', async () => {
    const settings = readSettings({ DATA_DIR: join(directory, 'service'), MODE: 'sandbox' })
    const log = makeLog('silent')
    const core = await openCore(settings, log)
    open.push(core)
    const source = bank()
    const processes = await makeProcesses({
      core,
      settings,
      log,
      matchScans: async () => null,
      funding: { approve: async () => null, moves: source.moves },
      sendCallback: async () => ({ result: 'delivered', httpStatus: 204, problem: null }),
    })
    const { handle, now } = core
    processes.begin()
    const at = now()
    const terms = ask({ callbackUri: null }, {}, at)
    for (const command of [terms, accept({}, at), capture(part('a', 100), at)])
      await handle(payments, 'lunch', command, context)
    await source.hasHeard
    await core.advanceClock({ by: authorizationLifetime * 1000 }, context)
    await processes.settle()
    await processes.stop()
    expect(source.heard.map(([call, { amount }]) => [call, amount])).toEqual([
      ['capture', 100],
      ['release', 10_900],
    ])
  })
})

describe('how far it was told', () => {
  const given = examplesOf(funding)
  const told = (position: number) => ({ type: 'FundingSourceTold', data: { position } }) as const
  const begin = (position: number) => ({ type: 'BeginTelling', position }) as const
  const record = (position: number) => ({ type: 'RecordTold', position }) as const

  test('given nothing, when it begins, then from there; given that it has begun, then nothing', () => {
    given().when(begin(7)).then(told(7))
    given(told(7)).when(begin(9)).thenNothing()
  })

  test('given how far it was, when it is told more, then it is known; never less', () => {
    given(told(7)).when(record(9)).then(told(9))
    given(told(9)).when(record(9)).thenNothing()
    given(told(9)).when(record(7)).thenNothing()
    given().when(record(0)).then(told(0))
  })
})
