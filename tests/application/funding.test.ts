// @module-tag long
import { randomUUID } from 'node:crypto'
import { setImmediate as turn } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { acceptPayment } from '../../application/answer-payment.ts'
import { StoreUnavailable, type EventStore } from '../../application/event-store.ts'
import type { FundingSource, Movement } from '../../application/funding.ts'
import { makeHandler } from '../../application/handle.ts'
import { base, openPlace } from '../../harness/ledger-service.ts'
import { paymentInput } from '../../harness/register-merchant.ts'
import { secretHeaders } from '../../harness/signing.ts'

type Kind = keyof NonNullable<FundingSource['movements']>

/** A source that holds money per payment, like a bank; `fails` decides whether a report fails. */
const bank = (fails: (movement: Movement, kind: Kind) => boolean = () => false) => {
  const told: (readonly [Kind, Movement])[] = []
  const tell = (kind: Kind) => async (movement: Movement) => {
    await turn()
    if (fails(movement, kind)) throw new Error('the bank is closed')
    told.push([kind, movement])
  }
  const held = new Map<string, number>()
  const source: FundingSource = {
    approve: async ({ payment, amount }) => {
      held.set(payment, amount)
      return null
    },
    cancel: async ({ payment }) => void held.delete(payment),
    movements: { capture: tell('capture'), release: tell('release'), refund: tell('refund') },
  }
  return {
    source,
    held,
    told,
    /** The reports about a payment, without repeats. */
    heardOf: (tid: string) => {
      const once = new Map(told.map(([kind, movement]) => [movement.id, [kind, movement]] as const))
      return [...once.values()]
        .filter(([, { payment }]) => payment === tid)
        .map(([kind, { amount }]) => `${kind} ${amount}`)
    },
  }
}

const openBank = async (source: FundingSource, directory?: string) => {
  const place = await openPlace(directory, source)
  place.service.begin()
  /** Waits until all due work is done. */
  const settle = (seconds = 0) => place.sandbox('clock/', { advance_seconds: seconds })
  return { ...place, settle }
}

const part = (amount: string, id: string) => ({ amount, currency: 'NOK', capture_id: id })
const back = (amount: string, id: string) => ({ amount, currency: 'NOK', refund_id: id })

test('a source that holds money hears what has become of it: captured, given back, let go, expired', async () => {
  const { source, held, told, heardOf } = bank()
  const place = await openBank(source)
  onTestFinished(async () => {
    await place.stop()
    place.remove()
  })
  const tid = await place.authorize({ amount: '100.00', additional_amount: '5.00' })
  const other = await place.authorize({ amount: '7', currency: 'JPY' })
  expect(held).toEqual(
    new Map([
      [tid, 10_500],
      [other, 7],
    ]),
  )
  await place.capture(tid, { ...part('30.00', 'a'), additional_amount: '5.00' })
  await place.capture(tid, part('20.00', 'b'))
  await place.capture(tid, part('20.00', 'b'))
  await place.refund(tid, back('1.50', 'r'))
  await place.release(tid)
  await place.settle(4 * 86_400)
  expect(heardOf(tid)).toEqual(['capture 3500', 'capture 2000', 'refund 150', 'release 5000'])
  expect(heardOf(other)).toEqual(['release 7'])
  const [[, first] = []] = told
  const event = (await place.core.store.readStream(`payment-${tid}`)).find(
    ({ type }) => type === 'PaymentCaptured',
  )
  expect(first).toEqual({
    id: event?.id,
    payment: tid,
    payer: 'alice',
    currency: 'NOK',
    amount: 3500,
    at: event?.metadata['at'],
  })
})

test('while the source fails all else continues; later it gets everything, in order per payment', async () => {
  let isClosed = true
  const { source, heardOf, told } = bank(() => isClosed)
  const place = await openBank(source)
  onTestFinished(async () => {
    await place.stop()
    place.remove()
  })
  const tids = await Promise.all([1, 2, 3].map(() => place.authorize({ amount: '10.00' })))
  for (const tid of tids) {
    expect((await place.capture(tid, part('4.00', 'a'))).status).toBe(204)
    expect((await place.capture(tid)).status).toBe(204)
    expect((await place.refund(tid)).status).toBe(204)
  }
  await place.settle()
  expect(told).toEqual([])
  isClosed = false
  // It backed off for a second after each failure, twice as long after the next.
  await place.settle(60)
  for (const tid of tids)
    expect(heardOf(tid)).toEqual(['capture 400', 'capture 600', 'refund 1000'])
})

test('a failed report about one payment is repeated, and none is skipped', async () => {
  let refused = ''
  const { source, heardOf } = bank(({ payment }) => payment === refused)
  const place = await openBank(source)
  onTestFinished(async () => {
    await place.stop()
    place.remove()
  })
  const [one = '', two = ''] = [
    await place.authorize({ amount: '1.00' }),
    await place.authorize({ amount: '2.00' }),
  ]
  refused = one
  await place.capture(one)
  await place.capture(two)
  await place.settle()
  expect(heardOf(one)).toEqual([])
  refused = ''
  await place.settle(60)
  expect([heardOf(one), heardOf(two)]).toEqual([['capture 100'], ['capture 200']])
})

test('events during a downtime are published after the start; earlier ones are not', async () => {
  const before = bank()
  const first = await openBank(before.source)
  onTestFinished(first.remove)
  const tid = await first.authorize({ amount: '10.00' })
  await first.capture(tid, part('1.00', 'told'))
  await first.settle()
  expect(before.heardOf(tid)).toEqual(['capture 100'])
  await first.stop()

  const deaf = await openPlace(first.directory, bank(() => true).source)
  await deaf.capture(tid, part('2.00', 'untold'))
  await deaf.stop()

  const after = bank()
  const second = await openBank(after.source, first.directory)
  onTestFinished(second.stop)
  await second.settle()
  expect(after.heardOf(tid)).toEqual(['capture 200'])
})

test('what one node has reported the next one does not report again', async () => {
  const [ours, theirs] = [bank(), bank()]
  const first = await openBank(ours.source)
  onTestFinished(first.remove)
  const second = await openPlace(first.directory, theirs.source)
  onTestFinished(async () => {
    await first.stop()
    await second.stop()
  })
  const tid = await first.authorize({ amount: '10.00' })
  await first.capture(tid, part('1.00', 'a'))
  await first.settle()
  second.service.begin()
  await second.sandbox('clock/', { advance_seconds: 0 })
  expect([ours.heardOf(tid), theirs.heardOf(tid)]).toEqual([['capture 100'], []])
})

test('the first source of a log gets no reports about money it never approved', async () => {
  const place = await openPlace()
  onTestFinished(place.remove)
  const tid = await place.authorize({ amount: '10.00' })
  await place.capture(tid, part('1.00', 'before'))
  await place.stop()

  const { source, heardOf } = bank()
  const second = await openBank(source, place.directory)
  onTestFinished(second.stop)
  await second.capture(tid, part('2.00', 'since'))
  await second.settle()
  expect(heardOf(tid)).toEqual(['capture 200'])
})

test('given money that was approved while the request ended, when its answer is refused, then it is let go', async () => {
  const { source, held } = bank()
  let meanwhile = async (_: string) => {}
  const approve: FundingSource['approve'] = async (wanted) => {
    const answer = await source.approve(wanted)
    expect(held.has(wanted.payment)).toBe(true)
    await meanwhile(wanted.payment)
    return answer
  }
  const place = await openBank({ ...source, approve })
  onTestFinished(async () => {
    await place.stop()
    place.remove()
  })
  const tid = await place.authorize({ amount: '10.00' })
  meanwhile = async (ended) => void (await place.release(ended))
  await expect(place.authorize({ amount: '20.00' })).rejects.toThrow(/accept\/: 409 /)
  expect([...held.keys()]).toEqual([tid])
})

test('given money that was approved, when it cannot be known whether the answer was recorded, then it stays, for the answer may stand', async () => {
  const { source, held } = bank()
  const { core, ask, outcome, stop, remove } = await openPlace()
  onTestFinished(async () => {
    await stop()
    remove()
  })
  const asked = { pos_id: 'till-1', pos_tid: 'unsure', action: 'auth', allow_credit: false }
  const about = { currency: 'NOK', amount: '10.00', customer: '4799999901' }
  const path = '/merchant/v1/payment_request/'
  const { id: tid } = (await ask('POST', path, { ...asked, ...about })).body
  // The store's response is lost.
  const append: EventStore['append'] = async (...given) => {
    await core.store.append(...given)
    throw new StoreUnavailable('the connection broke')
  }
  const needs = { eventId: () => randomUUID(), commandId: randomUUID }
  const unsure = makeHandler({ store: { ...core.store, append }, ...needs })
  const accept = acceptPayment({ ...unsure, funding: source, tokens: core.tokens })
  const wish = { additionalAmount: null, credit: false }
  const context = core.contextOf('test', 'sandbox')
  await expect(accept(tid, 'alice', wish, context)).rejects.toThrow(StoreUnavailable)
  expect(held).toEqual(new Map([[tid, 1000]]))
  expect(await outcome(tid)).toMatchObject({ status: 'auth' })
})

test('a source is given the traceparent of each request, to send it on', async () => {
  const { source, told } = bank()
  const asked: unknown[] = []
  const approve: FundingSource['approve'] = async (_, traceparent) => {
    asked.push(traceparent)
    return null
  }
  const place = await openBank({ ...source, approve })
  onTestFinished(async () => {
    await place.stop()
    place.remove()
  })
  const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'
  const send = async (method: string, path: string, json: object) => {
    const headers = {
      ...secretHeaders('sandbox', 'pos1', 'sandbox-secret'),
      ...{ 'Content-Type': 'application/json', traceparent },
    }
    const about = { method, headers, body: JSON.stringify(json) }
    const answer = await place.app.request(base + path, about, {})
    return answer.status === 201 ? ((await answer.json()) as { id: string }).id : ''
  }
  const tid = await send('POST', '/merchant/v1/payment_request/', paymentInput())
  await send('POST', `/sandbox/v1/payment_request/${tid}/accept/`, {})
  expect(asked).toEqual([traceparent])
  await send('PUT', `/merchant/v1/payment_request/${tid}/`, { action: 'capture' })
  await place.settle()
  expect(told.map(([kind, movement]) => [kind, movement.traceparent])).toEqual([
    ['capture', traceparent],
  ])
})
