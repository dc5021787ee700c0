import { parseEvent, type Recorded } from '../domain/events.ts'
import { movedFunds } from '../domain/payment/funding.ts'
import { paymentEvents, type PaymentEvent } from '../domain/payment/payment-events.ts'
import { idIn } from '../domain/stream.ts'
import type { Instant } from '../domain/time.ts'
import { fundings, payments } from './aggregates.ts'
import { start, type EventStore, type Position, type RecordedEvent } from './event-store.ts'
import type { FundingSource, Movement } from './funding-source.ts'
import type { Context, Find, Handle } from './handle.ts'
import type { DueWork } from './schedule.ts'

type BeginNeeds = {
  readonly store: Pick<EventStore, 'head'>
  readonly handle: Handle
  readonly context: Context
}

const theSource = 'source'

/**
 * Says once, before the first movement, where a funding source begins to be told of the log: what has been there had
 * another source, or none.
 */
export const beginTelling = async ({ store, handle, context }: BeginNeeds): Promise<void> => {
  await handle(fundings, theSource, { type: 'BeginTelling', position: await store.head() }, context)
}

type Needs = {
  readonly store: Pick<EventStore, 'readAll'>
  readonly handle: Handle
  readonly find: Find
  readonly moves: NonNullable<FundingSource['moves']>
  readonly newId: () => string
}

/** Payments whose movements are told at the same time. */
const atOnce = 16

/** A movement as its event tells it: of whose money, in what currency, only the payment knows. */
type Moved = Omit<Movement, 'payer' | 'currency'> & { readonly position: Position }

const movedBy = (stored: RecordedEvent): Moved[] => {
  if (!Object.hasOwn(paymentEvents, stored.type)) return []
  const event = parseEvent(stored) as Recorded<PaymentEvent>
  const funds = movedFunds(event)
  const { id, stream, position, metadata } = event
  return funds ? [{ ...funds, id, tid: idIn(stream), at: metadata.at, position }] : []
}

const byPayment = (movements: readonly Moved[]): Map<string, Moved[]> => {
  const payments = new Map<string, Moved[]>()
  for (const movement of movements) {
    const known = payments.get(movement.tid)
    if (known) known.push(movement)
    else payments.set(movement.tid, [movement])
  }
  return payments
}

/**
 * Tells the funding source what has been captured, released and refunded, and records how far it was told, so that a
 * restart goes on from there. What is told and not recorded, for a crash or a failure between, is told again; so is what
 * several processes tell at the same time.
 */
export const tellFundingSource = ({ store, handle, find, moves, newId }: Needs): DueWork => {
  /** Up to where this process has found everything told. */
  let done = start
  /** What was told of the events after that. */
  let told = new Set<string>()

  const record = async (position: Position, at: Instant): Promise<void> => {
    const context = { at, merchant: null, actor: 'daybook', correlationId: newId() }
    await handle(fundings, theSource, { type: 'RecordTold', position }, context)
  }

  const tellInOrder = async (tid: string, movements: readonly Moved[], stopped: AbortSignal) => {
    const payment = await find(payments, tid)
    if (payment.status === 'unrequested' || payment.payer === null)
      throw new Error(`payment ${tid} has moved money, but nobody has accepted it`)
    const { payer, request } = payment
    for (const { position: _, ...moved } of movements) {
      if (stopped.aborted || told.has(moved.id)) continue
      await moves[moved.kind]({ ...moved, payer, currency: request.currency })
      told.add(moved.id)
    }
  }

  /** Tells the movements, several payments at once. @throws the first failure, after all that could be told was */
  const tell = async (movements: readonly Moved[], stopped: AbortSignal): Promise<void> => {
    // One iterator for all who work: each takes the next payment.
    const waiting = byPayment(movements).entries()
    const work = async (): Promise<void> => {
      for (const [tid, ofThis] of waiting) await tellInOrder(tid, ofThis, stopped)
    }
    const ends = await Promise.allSettled(Array.from({ length: atOnce }, work))
    for (const end of ends) if (end.status === 'rejected') throw end.reason
  }

  return async (at, stopped) => {
    done = Math.max(done, (await find(fundings, theSource)).told ?? start)
    for await (const batch of store.readAll(done)) {
      const movements = batch.flatMap(movedBy)
      try {
        await tell(movements, stopped)
      } finally {
        const untold = movements.find(({ id }) => !told.has(id))
        const last = batch.findLast(({ position }) => !untold || position < untold.position)
        done = last?.position ?? done
        // What moves nothing is not worth an event, which would be looked at next.
        if (movements.some(({ position }) => position <= done)) await record(done, at)
        if (!untold) told = new Set()
      }
      if (stopped.aborted) break
    }
    return null
  }
}
