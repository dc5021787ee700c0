import { parseEvent, type Recorded } from '../domain/events.ts'
import { idIn } from '../domain/stream.ts'
import { fundings, payments } from '../domain/aggregates.ts'
import { perKeyBackOff, type OutageOf } from './per-key-back-off.ts'
import type { EventStore, Position, RecordedEvent } from './event-store.ts'
import type { FundingSource, Movement } from './funding.ts'
import type { Context, Find, Handle } from './handle.ts'
import type { DueWork } from './schedule.ts'

type Movements = NonNullable<FundingSource['movements']>

type Needs = {
  readonly store: EventStore
  readonly handle: Handle
  readonly find: Find
  readonly movements: Movements
  readonly context: () => Context
  readonly outageOf: OutageOf
}

/** What moves money that was approved, and how the source is told. */
const kinds = {
  PaymentCaptured: 'capture',
  PaymentReleased: 'release',
  PaymentAuthorizationExpired: 'release',
  PaymentRefunded: 'refund',
} as const satisfies Partial<Record<Recorded['type'], keyof Movements>>

type Moving = Extract<Recorded, { readonly type: keyof typeof kinds }>

const movingOf = (batch: readonly RecordedEvent[]): readonly Moving[] =>
  batch.filter(({ type }) => type in kinds).map((event) => parseEvent(event) as Moving)

/** Payments of which the source is told at the same time. */
const mostAtOnce = 16
const source = 'source'

/**
 * Tells a funding source what becomes of the money that it has approved, from the log, and records how far it knows.
 * The first source of a log hears what happens from now on.
 */
export const informFunding = async (needs: Needs): Promise<DueWork> => {
  const { store, handle, find, movements, context } = needs
  const note = (position: Position) =>
    handle(fundings, source, { type: 'NoteInformed', position }, context())

  const tell = async (event: Moving, stopped: AbortSignal): Promise<void> => {
    const { id, type, stream, data, metadata } = event
    const payment = idIn(stream)
    const state = await find(payments, payment, 'log')
    if (state.status === 'unrequested' || state.payer === null)
      throw new Error(`payment ${payment} moves money of nobody`)
    const { payer, request } = state
    const amount = data.amount + data.additionalAmount
    const { currency } = request
    const movement: Movement = { id, payment, payer, currency, amount, at: metadata.at }
    await movements[kinds[type]](movement, stopped)
  }

  /** Tells of all, those of one payment one after the other. @throws one of what the source threw, when all have ended */
  const tellAll = async (events: readonly Moving[], stopped: AbortSignal): Promise<void> => {
    const ofPayments = new Map<string, Moving[]>()
    for (const event of events) {
      const ofOne = ofPayments.get(event.stream)
      if (ofOne) ofOne.push(event)
      else ofPayments.set(event.stream, [event])
    }
    const waiting = ofPayments.values()
    const work = async (): Promise<void> => {
      for (const ofOne of waiting)
        for (const event of ofOne) {
          if (stopped.aborted) return
          await tell(event, stopped)
        }
    }
    const works = await Promise.allSettled(Array.from({ length: mostAtOnce }, work))
    for (const ended of works) if (ended.status === 'rejected') throw ended.reason
  }

  const known = (await find(fundings, source, 'log')).informedTo
  let position = known ?? (await store.head())
  if (known === null) await note(position)

  const informing = perKeyBackOff<string>({ keyOf: (name) => name, outageOf: needs.outageOf })
  const inform = async (stopped: AbortSignal): Promise<void> => {
    // Another node may have told it meanwhile.
    position = Math.max(position, (await find(fundings, source)).informedTo ?? position)
    for await (const batch of store.readAll(position)) {
      const moving = movingOf(batch)
      await tellAll(moving, stopped)
      if (stopped.aborted) return
      position = batch.at(-1)?.position ?? position
      if (moving.length > 0) await note(position)
    }
  }
  return async (at, stopped) => {
    for (const name of informing.due(at, 1, () => [source]))
      await informing.attempt(name, at, () => inform(stopped))
    return informing.nextLook(null)
  }
}
