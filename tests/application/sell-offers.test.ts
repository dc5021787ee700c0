import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { StoreUnavailable } from '../../application/event-store.ts'
import { makeHandler, type Context } from '../../application/handle.ts'
import { requestPayment } from '../../application/request-payment.ts'
import { makeOffer, sellOffers } from '../../application/sell-offers.ts'
import { allWork } from '../../application/share.ts'
import { noFees } from '../../domain/accounting/fees.ts'
import { payments } from '../../domain/aggregates.ts'
import { parseEvent } from '../../domain/events.ts'
import { Refusal } from '../../domain/refusal.ts'
import { makeLog } from '../../infrastructure/logs/log.ts'
import { readSettings } from '../../infrastructure/settings.ts'
import { openCore, type Core } from '../../service/core.ts'

const directory = mkdtempSync(join(tmpdir(), 'daybook-'))
const cores: Core[] = []

beforeAll(async () => {
  const settings = readSettings({ DATA_DIR: directory, LOG_LEVEL: 'silent' })
  for (let node = 0; node < 2; node++) cores.push(await openCore(settings, makeLog('silent')))
})
afterAll(async () => {
  for (const core of cores) await core.close()
  rmSync(directory, { recursive: true })
})

const at = Date.UTC(2026, 0, 1)
const context: Context = { at, merchant: 'shop', actor: 'staff:m', correlationId: 'story' }
const running = new AbortController().signal

/** A node of its own memory; a crashing one loses its store after some appends. */
const nodeOf = (core: Core, appendsUntilCrash = Infinity) => {
  let left = appendsUntilCrash
  const append: Core['store']['append'] = (...appended) =>
    left-- > 0 ? core.store.append(...appended) : Promise.reject(new StoreUnavailable('crashed'))
  const store = { ...core.store, append }
  const { handle, find } = makeHandler({
    store,
    eventId: () => randomUUID(),
    commandId: randomUUID,
  })
  const { tidOf, derive, caughtUp } = core
  const request = requestPayment({
    ...{ handle, find, tidOf },
    identify: () => Promise.reject(new Error('nobody is looked for')),
    awaitScan: () => Promise.reject(new Error('nothing is scanned')),
  })
  const sales = sellOffers({
    ...{ handle, find, share: allWork(handle), rows: core.merchants.offers, tidOf, derive },
    ...{ requestPayment: request, requestInShare: request, caughtUp, newId: randomUUID },
    outageOf: (tid) => ({
      failed: (error) => {
        throw new Error(`${tid}: ${String(error)}`)
      },
      worked: () => {},
    }),
  })
  return { ...sales, handle, find }
}

const about = { merchant: 'shop', posId: 'portal', currency: 'NOK', amount: 100, text: 'A course' }

const made = async (id: string, stock: number): Promise<void> => {
  const [core] = cores as [Core]
  await makeOffer(core)(id, { ...about, until: null, stock }, context)
}

const eventsOf = async (id: string) =>
  (await (cores[0] as Core).store.readStream(`offer-${id}`, 0, 1_000)).map(parseEvent)

/** The request that a payer gets, or why none. */
const answer = (taking: Promise<string | undefined>) =>
  taking.catch((error: unknown) => {
    if (error instanceof Refusal) return error.code
    throw error
  })

test('when many payers take the last three at two nodes at once, three get one each', async () => {
  await made('course', 3)
  const nodes = cores.map((core) => nodeOf(core))
  const names = ['ann', 'ben', 'cai', 'dag', 'eva', 'fia', 'gro', 'hal']
  const takings = names.map((payer) =>
    // In two tabs at two nodes.
    Promise.all(nodes.map((node) => answer(node.takeOffer('course', payer, context)))),
  )
  const answers = await Promise.all(takings)
  const winners = answers.filter(([first]) => first !== 'offer_is_sold_out')
  expect(winners.length).toBe(3)
  for (const [first, second] of winners) expect(second).toBe(first)
  for (const [first, second] of answers.filter((one) => !winners.includes(one)))
    expect([first, second]).toEqual(['offer_is_sold_out', 'offer_is_sold_out'])
  const taken = (await eventsOf('course')).filter(({ type }) => type === 'OfferTaken')
  expect(taken.length).toBe(3)
})

test('when a node crashes before it asks the payer, another node does, once', async () => {
  await made('crash', 1)
  const [first, second] = cores as [Core, Core]
  const crashing = nodeOf(first, 1)
  await expect(crashing.takeOffer('crash', 'ann', context)).rejects.toThrow('crashed')
  const [, taken] = await eventsOf('crash')
  const { tid } = taken?.data as { tid: string }
  const other = nodeOf(second)
  expect(await other.find(payments, tid, 'log')).toMatchObject({ status: 'unrequested' })
  // Nobody else gets it meanwhile.
  expect(await answer(other.takeOffer('crash', 'ben', context))).toBe('offer_is_sold_out')
  await second.caughtUp()
  await other.work(at, running)
  expect(await other.find(payments, tid, 'log')).toMatchObject({ status: 'pending', payer: 'ann' })
  await other.handle(payments, tid, { type: 'DeclinePayment', at, payer: 'ann' }, context)
  await second.caughtUp()
  await other.work(at, running)
  await other.work(at, running)
  const types = (await eventsOf('crash')).map(({ type }) => type)
  expect(types).toEqual(['OfferMade', 'OfferTaken', 'OfferGivenBack'])
  expect(second.merchants.offers.find('crash')).toMatchObject({ held: 0, stock: 1 })
  expect(await other.takeOffer('crash', 'ben', context)).not.toBe(tid)
})

test('when a part was captured before the rest is released, it does not come back', async () => {
  await made('parts', 2)
  const [core] = cores as [Core]
  const node = nodeOf(core)
  const answered = async (payer: string, isPart: boolean) => {
    const tid = (await node.takeOffer('parts', payer, context)) ?? ''
    const accept = {
      type: 'AuthorizePayment',
      at,
      payer,
      additionalAmount: null,
      credit: false,
    } as const
    await node.handle(payments, tid, accept, context)
    const wanted = { amount: 40, additionalAmount: 0, id: '1', currency: 'NOK' }
    const capture = { type: 'CapturePayment', at, wanted, terms: noFees } as const
    if (isPart) await node.handle(payments, tid, capture, context)
    await node.handle(payments, tid, { type: 'ReleasePayment', at }, context)
  }
  await answered('ann', true)
  await answered('ben', false)
  await core.caughtUp()
  await node.work(at, running)
  const back = (await eventsOf('parts')).filter(({ type }) => type === 'OfferGivenBack')
  expect(back.map(({ data }) => (data as { payer: string }).payer)).toEqual(['ben'])
  await core.caughtUp()
  expect(core.merchants.offers.find('parts')).toMatchObject({ held: 1 })
})
