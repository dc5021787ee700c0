import fc from 'fast-check'
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { payments, pointsOfSale, shortlinks } from '../../domain/aggregates.ts'
import { StoreUnavailable, type EventStore } from '../../application/event-store.ts'
import { makeHandler, type Context } from '../../application/handle.ts'
import { byShortlink, firstOf } from '../../application/identify-customer.ts'
import { allWork } from '../../application/share.ts'
import { matchScans } from '../../application/match-scans.ts'
import { requestPayment } from '../../application/request-payment.ts'
import { parseEvent } from '../../domain/events.ts'
import { Refusal } from '../../domain/refusal.ts'
import { within } from '../../domain/stream.ts'
import { openCore, type Core } from '../../service/core.ts'
import { makeLog } from '../../infrastructure/logs/log.ts'
import { readSettings } from '../../infrastructure/settings.ts'

const directory = mkdtempSync(join(tmpdir(), 'daybook-'))
const cores: Core[] = []

beforeAll(async () => {
  for (let node = 0; node < 2; node++)
    cores.push(
      await openCore(readSettings({ DATA_DIR: directory, LOG_LEVEL: 'silent' }), makeLog('silent')),
    )
})
beforeEach(() => void (troubles = []))
afterEach(() => expect(troubles).toEqual([]))
afterAll(async () => {
  for (const core of cores) await core.close()
  rmSync(directory, { recursive: true })
})

const running = new AbortController().signal

const soundStore = (_stream: string): boolean => false

/** Failures of some work while the rest succeeded. A test that timed out keeps its own. */
let troubles: string[] = []

/** A node's scan work; a crashing node loses its store after the given number of appends. */
const nodeOf = (
  core: Core,
  appendsUntilCrash = Infinity,
  pickUps = core.merchants.pickUps,
  isBroken = soundStore,
) => {
  let left = appendsUntilCrash
  const store: EventStore = {
    ...core.store,
    append: (...append) => {
      if (isBroken(append[0])) return Promise.reject(new Error('broken'))
      if (left-- > 0) return core.store.append(...append)
      return Promise.reject(new StoreUnavailable('crashed'))
    },
  }
  const isSound = appendsUntilCrash === Infinity && isBroken === soundStore
  const { handle, find } = isSound
    ? core
    : makeHandler({ store, eventId: () => randomUUID(), commandId: randomUUID })
  const { tokens } = core
  const ofTest = troubles
  const matching = matchScans({
    handle,
    share: allWork(handle),
    find,
    pickUps,
    tokenDigestOf: (scan) => tokens.scanTokenDigest(scan),
    caughtUp: core.readModels.caughtUp,
    newId: randomUUID,
    outageOf: (tid) => ({
      failed: (error) => ofTest.push(`${tid}: ${String(error)}`),
      worked: () => ofTest.push(`${tid} works`),
    }),
  })
  const request = requestPayment({
    handle,
    find,
    tidOf: core.tidOf,
    identify: firstOf([byShortlink({ find })], core.payerDirectory.byName),
    awaitScan: matching.awaitScan,
  })
  return { ...matching, request, handle }
}

type Step = { readonly node: number; readonly wait: number } & (
  | { readonly type: 'scan'; readonly payer: string }
  | { readonly type: 'request'; readonly maxScanAge: number; readonly expiresIn: number }
  | { readonly type: 'abort'; readonly latestBut: number }
)

const anyStep: fc.Arbitrary<Step> = fc
  .tuple(
    fc.record({ node: fc.nat(1), wait: fc.nat(40) }),
    fc.oneof(
      fc.record({ type: fc.constant('scan' as const), payer: fc.constantFrom('a', 'b', 'c') }),
      fc.record({
        type: fc.constant('request' as const),
        maxScanAge: fc.constantFrom(0, 30, 60, 600),
        expiresIn: fc.constantFrom(20, 100, 21_600),
      }),
      fc.record({ type: fc.constant('abort' as const), latestBut: fc.nat(2) }),
    ),
  )
  .map(([when, what]) => ({ ...when, ...what }))

const start = Date.UTC(2026, 0, 1)
let runs = 0

/** A shop with one code; runs the steps of a story, each at its own time. */
const openShop = async () => {
  const merchant = `shop${++runs}`
  const shortlink = `code${runs}`
  const [core] = cores as [Core, Core]
  const context = (at: number): Context => ({
    at,
    merchant,
    actor: 'user:pos1',
    correlationId: 'story',
  })
  const pos = { merchant, id: 'till', name: 'Till', type: 'store' as const, location: null }
  const code = {
    merchant,
    id: shortlink,
    callbackUri: null,
    description: null,
    serialNumber: null,
  }
  await core.handle(
    pointsOfSale,
    within(merchant, 'till'),
    { type: 'Register', data: pos },
    context(start),
  )
  await core.handle(shortlinks, shortlink, { type: 'Register', data: code }, context(start))
  const tids: string[] = []
  const posTids: string[] = []
  const tidOf = (posTid: string) => core.tidOf(merchant, 'till', posTid)
  return {
    shortlink,
    tids,
    carryOut: async (step: Step, at: number, node: ReturnType<typeof nodeOf>): Promise<void> => {
      switch (step.type) {
        case 'scan':
          await node.scanShortlink(shortlink, { payer: step.payer, argstring: '' }, context(at))
          return
        case 'request': {
          const posTid = `t${posTids.push('') - 1}`
          tids.push(tidOf(posTid))
          const { maxScanAge, expiresIn } = step
          await node.request(
            {
              merchant,
              posId: 'till',
              posTid,
              action: 'sale',
              currency: 'NOK',
              amount: 100,
              additionalAmount: 0,
              additionalEdit: false,
              allowCredit: false,
              customer: `shortlink_id:${shortlink}`,
              maxScanAge,
              expiresIn,
              text: null,
              successReturnUri: null,
              failureReturnUri: null,
              requiredScope: null,
              requiredScopeText: null,
              ledger: 'default',
              callbackUri: null,
              displayMessageUri: null,
              links: [],
              lineItems: [],
            },
            context(at),
          )
          return
        }
        case 'abort': {
          const tid = tids.at(-1 - step.latestBut)
          if (tid === undefined) return
          try {
            await node.handle(payments, tid, { type: 'ReleasePayment', at }, context(at))
          } catch (error) {
            if (!(error instanceof Refusal)) throw error
          }
        }
      }
    },
  }
}

const historyOf = async (stream: string) => {
  const [core] = cores as [Core, Core]
  return (await core.store.readStream(stream)).map(parseEvent)
}

/** The payer of each request, according to the payments' events. */
const pickedUp = async (tids: readonly string[]) => {
  const found = []
  for (const tid of tids) {
    const events = await historyOf(`payment-${tid}`)
    const pickUps = events.flatMap((event) =>
      event.type === 'PaymentPickedUp' ? [event.data] : [],
    )
    expect(pickUps.length).toBeLessThanOrEqual(1)
    found.push(pickUps[0])
  }
  return found
}

const doAllThatIsLeft = async (now: number): Promise<void> => {
  for (let round = 0; round < 5; round++)
    for (const core of cores) {
      await core.readModels.caughtUp()
      await nodeOf(core).work(now, running)
    }
  for (const core of cores) {
    await core.readModels.caughtUp()
    expect(core.merchants.pickUps.due(10)).toEqual([])
  }
}

type Waiting = {
  readonly index: number
  readonly at: number
  readonly oldest: number
  readonly until: number
}

/** The static-QR rules, implemented literally for a single till without concurrency. */
const expectedPayers = (story: readonly Step[]): (string | undefined)[] => {
  const payers: (string | undefined)[] = []
  let scans: { payer: string; at: number }[] = []
  let waiting: Waiting[] = []
  let at = start
  for (const step of story) {
    at += step.wait * 1000
    if (step.type === 'scan') {
      const listening = waiting.filter(({ until }) => at < until)
      const taker = listening.at(-1)
      if (taker) {
        payers[taker.index] = step.payer
        waiting = waiting.filter((request) => request !== taker)
      } else scans.push({ payer: step.payer, at })
    } else if (step.type === 'request') {
      const index = payers.push(undefined) - 1
      const oldest = at - step.maxScanAge * 1000
      const latest = scans.filter((scan) => scan.at >= oldest).at(-1)
      if (latest) {
        payers[index] = latest.payer
        scans = scans.filter((scan) => scan !== latest)
      } else waiting.push({ index, at, oldest, until: at + step.expiresIn * 1000 })
    } else {
      const aborted = payers.length - 1 - step.latestBut
      waiting = waiting.filter(({ index }) => index !== aborted)
    }
  }
  return payers
}

test(
  'whatever the order, and on whichever node, each scan goes where the rules say',
  { tags: 'long' },
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyStep, { minLength: 2, maxLength: 16 }), async (story) => {
        const shop = await openShop()
        let at = start
        for (const step of story) {
          at += step.wait * 1000
          await shop.carryOut(step, at, nodeOf(cores[step.node] as Core))
        }
        const found = await pickedUp(shop.tids)
        expect(found.map((pickUp) => pickUp?.payer)).toEqual(expectedPayers(story))
      }),
      { numRuns: 100, endOnFailure: true },
    )
  },
)

/** A permanent loser of races is finally refused; then nothing has happened. */
const hadNoTurn = (error: unknown): void => {
  if (!(error instanceof Refusal) || error.code !== 'conflicting_changes') throw error
}

/** Invariants of any story, however its steps interleave. */
const checkStory = async (shop: Awaited<ReturnType<typeof openShop>>, now: number) => {
  const history = await historyOf(`scans-${shop.shortlink}`)
  const scans = history.flatMap((event) => (event.type === 'ShortlinkScanned' ? [event.data] : []))
  const taken = new Map<string, string>()
  const idle = []
  for (const tid of shop.tids) {
    const events = await historyOf(`payment-${tid}`)
    const [first] = events
    // A crash may have happened before the request was written.
    if (first?.type !== 'PaymentRequested') continue
    const { request, expiresAt } = first.data
    const oldest = first.metadata.at - request.maxScanAge * 1000
    const pickUp = events.find((event) => event.type === 'PaymentPickedUp')
    const aborted = events.findIndex((event) => event.type === 'PaymentAborted')
    if (pickUp?.type === 'PaymentPickedUp') {
      const { scan, payer } = pickUp.data
      expect(taken.has(scan)).toBe(false)
      taken.set(scan, tid)
      const its = scans.find((other) => other.scan === scan)
      expect(its?.payer).toBe(payer)
      expect(its?.scannedAt).toBeGreaterThanOrEqual(oldest)
      if (aborted >= 0) expect(events.indexOf(pickUp)).toBeLessThan(aborted)
    } else if (aborted < 0 && now < expiresAt) idle.push({ oldest })
  }
  for (const { scan, scannedAt } of scans)
    if (!taken.has(scan)) for (const { oldest } of idle) expect(scannedAt).toBeLessThan(oldest)
}

test(
  'when two nodes do everything at once, scans are taken once, and all of them',
  { tags: 'long' },
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyStep, { minLength: 2, maxLength: 12 }), async (story) => {
        const shop = await openShop()
        const at = start + 1000
        // Nothing expires here, so a request waiting at the end has waited all the time.
        const lasting = story.map((step) =>
          step.type === 'request' ? { ...step, expiresIn: 21_600 } : step,
        )
        await Promise.all(
          lasting.map((step) =>
            shop.carryOut(step, at, nodeOf(cores[step.node] as Core)).catch(hadNoTurn),
          ),
        )
        await doAllThatIsLeft(at)
        await checkStory(shop, at)
      }),
      { numRuns: 40, endOnFailure: true },
    )
  },
)

test(
  'what a crash leaves undone, wherever it strikes, another node does',
  { tags: 'long' },
  async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(anyStep, { minLength: 2, maxLength: 10 }),
        fc.array(fc.nat(4), { minLength: 10, maxLength: 10 }),
        async (story, appends) => {
          const shop = await openShop()
          let at = start
          for (const [index, step] of story.entries()) {
            at += step.wait * 1000
            const core = cores[step.node] as Core
            // A node that made all its appends did not crash.
            const node = nodeOf(core, appends[index] ?? 0)
            await shop.carryOut(step, at, node).catch((error: unknown) => {
              if (!(error instanceof StoreUnavailable)) throw error
            })
          }
          await doAllThatIsLeft(at)
          await checkStory(shop, at)
        },
      ),
      { numRuns: 40, endOnFailure: true },
    )
  },
)

test('work that another has done since it was found due is not done again', async () => {
  const [core] = cores as [Core, Core]
  const shop = await openShop()
  const step = { node: 0, wait: 0 }
  for (const payer of ['bob', 'alice'])
    await shop.carryOut({ ...step, type: 'scan', payer }, start, nodeOf(core))
  const request = { ...step, type: 'request', maxScanAge: 60, expiresIn: 100 } as const
  await shop.carryOut(request, start, nodeOf(core, 1))
  await core.readModels.caughtUp()
  const found = core.merchants.pickUps.due(10)
  expect(found).toMatchObject([{ tid: shop.tids[0], stage: { type: 'requested' } }])
  await doAllThatIsLeft(start)
  const history = await historyOf(`scans-${shop.shortlink}`)
  await nodeOf(core, Infinity, { due: () => found }).work(start, running)
  expect(await historyOf(`scans-${shop.shortlink}`)).toEqual(history)
  expect(await pickedUp(shop.tids)).toMatchObject([{ payer: 'alice' }])
})

test(
  'given more left undone than one look finds, then nothing is left in the end',
  { tags: 'long' },
  async () => {
    const [core] = cores as [Core, Core]
    const shop = await openShop()
    const request = { node: 0, wait: 0, type: 'request', maxScanAge: 60, expiresIn: 100 } as const
    for (let n = 0; n < 450; n++) await shop.carryOut(request, start, nodeOf(core, 1))
    await core.readModels.caughtUp()
    expect(core.merchants.pickUps.due(1000)).toHaveLength(450)
    expect(await nodeOf(core).work(start, running)).toBeNull()
    await core.readModels.caughtUp()
    expect(core.merchants.pickUps.due(1000)).toEqual([])
  },
)

test('given work that is stopped, then nothing more of it is begun', async () => {
  const [core] = cores as [Core, Core]
  const shop = await openShop()
  await shop.carryOut({ node: 0, wait: 0, type: 'scan', payer: 'alice' }, start, nodeOf(core))
  const request = { node: 0, wait: 0, type: 'request', maxScanAge: 60, expiresIn: 100 } as const
  await shop.carryOut(request, start, nodeOf(core, 1))
  await core.readModels.caughtUp()
  await nodeOf(core).work(start, AbortSignal.abort())
  expect(await pickedUp(shop.tids)).toEqual([undefined])
  await nodeOf(core).work(start, running)
  expect(await pickedUp(shop.tids)).toMatchObject([{ payer: 'alice' }])
})

test('given a shortlink that cannot be written, what is due of others is done', async () => {
  const [core] = cores as [Core, Core]
  const [broken, healthy] = [await openShop(), await openShop()]
  const request = { node: 0, wait: 0, type: 'request', maxScanAge: 60, expiresIn: 100 } as const
  for (const shop of [broken, healthy]) {
    await shop.carryOut({ node: 0, wait: 0, type: 'scan', payer: 'alice' }, start, nodeOf(core))
    await shop.carryOut(request, start, nodeOf(core, 1))
  }
  await core.readModels.caughtUp()
  let isBroken = true
  const isIts = (stream: string) => isBroken && stream === `scans-${broken.shortlink}`
  const node = nodeOf(core, Infinity, core.merchants.pickUps, isIts)
  expect(await node.work(start, running)).toBe(start + 1000)
  expect(await pickedUp(healthy.tids)).toMatchObject([{ payer: 'alice' }])
  expect(await pickedUp(broken.tids)).toEqual([undefined])
  const [tid] = broken.tids
  expect(troubles.splice(0)).toEqual([`${tid}: Error: broken`])
  isBroken = false
  expect(await node.work(start + 1000, running)).toBeNull()
  expect(await pickedUp(broken.tids)).toMatchObject([{ payer: 'alice' }])
  expect(troubles.splice(0)).toEqual([`${tid} works`])
})

test('a scan leads to the request that takes it, though a later one was just aborted', async () => {
  const { carryOut, shortlink, tids } = await openShop()
  const node = nodeOf(cores[0] as Core)
  const request = { type: 'request', node: 0, wait: 0, maxScanAge: 60, expiresIn: 600 } as const
  await carryOut(request, start, node)
  await carryOut(request, start + 1_000, node)
  await carryOut({ type: 'abort', node: 0, wait: 0, latestBut: 0 }, start + 2_000, node)
  const by = { payer: 'a', argstring: '' }
  const when = { at: start + 3_000, correlationId: 'story' }
  expect((await node.scanShortlink(shortlink, by, when)).tid).toBe(tids[0])
})
