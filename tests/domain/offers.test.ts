import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fold } from '../../domain/decider.ts'
import {
  offers,
  type Offer,
  type OfferCommand,
  type OfferEvent,
} from '../../domain/merchant/offer.ts'
import { Refusal } from '../../domain/refusal.ts'

const until = 1_000

const step = fc.record({
  wait: fc.constantFrom(0, 0, 0, 10, 300),
  what: fc.oneof(
    {
      weight: 5,
      arbitrary: fc.record({
        type: fc.constant('take' as const),
        payer: fc.constantFrom('alice', 'bob', 'carol', 'dan'),
        /** What the payer's tab shows may be old. */
        isStale: fc.constantFrom(false, false, true),
      }),
    },
    {
      weight: 3,
      arbitrary: fc.record({ type: fc.constant('giveBack' as const), latestBut: fc.nat(4) }),
    },
    fc.record({
      type: fc.constant('stock' as const),
      stock: fc.option(fc.integer({ min: 1, max: 4 })),
    }),
    fc.record({ type: fc.constant('end' as const), isMeant: fc.constantFrom(true, false, false) }),
  ),
})

type Took = { readonly payer: string; readonly tid: string }

/** What the events say, counted from them alone. */
const countedIn = (events: readonly OfferEvent[]) => {
  const holding: Took[] = []
  let stock: number | null = null
  let isEnded = false
  for (const event of events)
    if (event.type === 'OfferTaken') holding.push(event.data)
    else if (event.type === 'OfferGivenBack')
      holding.splice(
        holding.findIndex(({ tid }) => tid === event.data.tid),
        1,
      )
    else if (event.type === 'OfferEnded') isEnded = true
    else stock = event.data.stock
  return { holding, stock, isEnded }
}

/** What a command is answered with: events, or the code of a refusal. */
const answerTo = (command: OfferCommand, state: Offer) => {
  try {
    return offers.decide(command, state)
  } catch (error) {
    if (error instanceof Refusal) return error.code
    throw error
  }
}

test('in any history a payer gets one exactly when one is left, and never two at once', () => {
  const stock = fc.option(fc.integer({ min: 1, max: 4 }))
  fc.assert(
    fc.property(stock, fc.array(step, { maxLength: 40 }), (stock, steps) => {
      const about = { merchant: 'm', posId: 'portal', currency: 'NOK', amount: 100, text: 'A' }
      const offer = { ...about, until, stock }
      const all: OfferEvent[] = [...offers.decide({ type: 'MakeOffer', offer }, offers.initial)]
      let state = fold(offers, all)
      let at = 0
      const everTaken: Took[] = []
      steps.forEach(({ wait, what }, index) => {
        at += wait
        const { holding, stock, isEnded } = countedIn(all)
        const commandFor = (): OfferCommand | undefined => {
          switch (what.type) {
            case 'take': {
              const own = holding.findLast(({ payer }) => payer === what.payer)?.tid ?? null
              const after = what.isStale ? 'another' : own
              const { payer } = what
              return { type: 'TakeOffer', at, payer, tid: `t${index}`, posTid: '', after }
            }
            case 'giveBack': {
              const one = everTaken.at(-1 - what.latestBut)
              return one && { type: 'GiveBackOffer', ...one }
            }
            case 'stock':
              return { type: 'ChangeStock', stock: what.stock }
            case 'end':
              return what.isMeant ? { type: 'EndOffer' } : undefined
          }
        }
        const command = commandFor()
        if (!command) return
        const answer = answerTo(command, state)
        const events = typeof answer === 'string' ? [] : answer
        if (command.type === 'TakeOffer') {
          const { payer, tid, posTid } = command
          const isLeft = stock === null || holding.length < stock
          const expected = () => {
            if (what.type === 'take' && what.isStale) return []
            if (isEnded || at >= until) return 'offer_is_over'
            return isLeft
              ? [{ type: 'OfferTaken', data: { payer, tid, posTid } }]
              : 'offer_is_sold_out'
          }
          expect(answer).toEqual(expected())
          if (events.length > 0) everTaken.push({ payer, tid })
        }
        if (command.type === 'GiveBackOffer') {
          const isHeld = holding.some(({ tid }) => tid === command.tid)
          expect(events.length).toBe(isHeld ? 1 : 0)
        }
        all.push(...events)
        state = fold(offers, events, state)
      })
    }),
    { numRuns: 500 },
  )
})

test('a link that is made again with other data is refused, and with the same is the same', () => {
  const about = { merchant: 'm', posId: 'portal', currency: 'NOK', amount: 100, text: 'A' }
  const offer = { ...about, until: null, stock: 2 }
  const state = fold(offers, offers.decide({ type: 'MakeOffer', offer }, offers.initial))
  const changed = fold(offers, [{ type: 'OfferStockChanged', data: { stock: 5 } }], state)
  expect(offers.decide({ type: 'MakeOffer', offer }, changed)).toEqual([])
  const other = { ...offer, amount: 101 }
  expect(() => offers.decide({ type: 'MakeOffer', offer: other }, changed)).toThrow('other data')
})
