import { parseEvent, type Recorded } from '../domain/events.ts'
import {
  hasEffect,
  paymentEffects,
  type PaymentEvent,
  type WithEffect,
} from '../domain/payment/payment-events.ts'
import { idIn } from '../domain/stream.ts'
import { fundings, payments } from '../domain/aggregates.ts'
import { perKeyBackOff, type OutageOf } from './per-key-back-off.ts'
import type { EventStore, Position, RecordedEvent } from './event-store.ts'
import type { FundingSource, Movement } from './funding.ts'
import type { Context, Handle } from './handle.ts'
import type { Share } from './share.ts'
import type { Find } from './find-state.ts'
import type { DueWork } from './schedule.ts'

type Movements = NonNullable<FundingSource['movements']>

type Needs = {
  readonly store: EventStore
  readonly handle: Handle
  readonly share: Share
  readonly find: Find
  readonly movements: Movements
  readonly context: () => Context
  readonly outageOf: OutageOf
}

type Moving = Extract<Recorded, { readonly type: WithEffect<'funding'> }>

const movingOf = (batch: readonly RecordedEvent[]): readonly Moving[] =>
  batch
    .filter(
      ({ type }) => type in paymentEffects && hasEffect(type as PaymentEvent['type'], 'funding'),
    )
    .map((event) => parseEvent(event) as Moving)

const byPayment = (events: readonly Moving[]): ReadonlyMap<string, readonly Moving[]> => {
  const ofPayments = new Map<string, Moving[]>()
  for (const event of events) {
    const ofOne = ofPayments.get(event.stream)
    if (ofOne) ofOne.push(event)
    else ofPayments.set(event.stream, [event])
  }
  return ofPayments
}

/** Payments reported at the same time. */
const maxConcurrent = 16
const source = 'source'

/**
 * Reports movements of approved money to the funding source, from the log, and records the
 * progress. The first source of a log starts at the current end.
 */
export const informFunding = async (needs: Needs): Promise<DueWork> => {
  const { store, handle, share, find, movements, context } = needs
  const note = (position: Position, by = share.handle) =>
    by(fundings, source, { type: 'NoteInformed', position }, context())

  const report = async (event: Moving, stopped: AbortSignal): Promise<void> => {
    const { id, type, stream, data, metadata } = event
    const payment = idIn(stream)
    const state = await find(payments, payment, 'log')
    if (state.status === 'unrequested' || state.payer === null)
      throw new Error(`payment ${payment} moves money of nobody`)
    const { payer, request } = state
    const amount = data.amount + data.additionalAmount
    const { currency } = request
    const { at, traceparent } = metadata
    const movement: Movement = { id, payment, payer, currency, amount, at, traceparent }
    await movements[paymentEffects[type].funding](movement, stopped)
  }

  /** Reports one payment's movements in order. @throws the source's error, after all have ended */
  const reportAll = async (events: readonly Moving[], stopped: AbortSignal): Promise<void> => {
    const waiting = byPayment(events).values()
    const work = async (): Promise<void> => {
      for (const ofOne of waiting)
        for (const event of ofOne) {
          if (stopped.aborted || !share.isOwn(null)) return
          await report(event, stopped)
        }
    }
    const works = await Promise.allSettled(Array.from({ length: maxConcurrent }, work))
    for (const ended of works) if (ended.status === 'rejected') throw ended.reason
  }

  const known = (await find(fundings, source, 'log')).informedTo
  let position = known ?? (await store.head())
  if (known === null) await note(position, handle)

  const backOff = perKeyBackOff<string>({ keyOf: (name) => name, outageOf: needs.outageOf })
  const inform = async (stopped: AbortSignal): Promise<void> => {
    // Another node may have reported it.
    position = Math.max(position, (await find(fundings, source)).informedTo ?? position)
    for await (const batch of store.readAll(position)) {
      const moving = movingOf(batch)
      await reportAll(moving, stopped)
      if (stopped.aborted || !share.isOwn(null)) return
      position = batch.at(-1)?.position ?? position
      if (moving.length > 0) await note(position)
    }
  }
  return async (at, stopped) => {
    for (const name of backOff.due(at, 1, () => [source]))
      await backOff.attempt(name, at, () => inform(stopped))
    return backOff.nextLook(null)
  }
}
