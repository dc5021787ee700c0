import type { Instant } from '../../domain/time.ts'

/** A number that an event has changed, as it is written. */
export type NumberChange = { readonly name: string; readonly from: string; readonly to: string }

/** Who was told of an event, and what they answered. */
export type Told = { readonly at: Instant | null; readonly says: string }

/** An event in plain words. */
export type Entry = {
  readonly position: number
  readonly stream: string
  readonly revision: number
  readonly id: string
  readonly type: string
  readonly at: Instant
  readonly who: string
  readonly why: string
  readonly says: string
  readonly numbers: readonly NumberChange[]
  readonly told: readonly Told[]
  /** The report and the settlement that its line is in. */
  readonly counted: readonly string[]
}

export type NamedNumber = {
  readonly name: string
  readonly currency: string
  readonly value: string
}

export type Story = {
  readonly title: string
  readonly says: readonly string[]
  readonly entries: readonly Entry[]
  /** Entries that are left out, because there are so many. */
  readonly more: number
  /** Each can be traced to its events. */
  readonly numbers: readonly NamedNumber[]
}

/** What an event adds to a number. */
export type Part = {
  readonly position: number
  readonly stream: string
  readonly at: Instant
  readonly says: string
  readonly amount: string
  /** The amount in minor units. */
  readonly minor: string
}

/** A number, and the events that add up to it. */
export type SumOfParts = {
  readonly name: string
  readonly currency: string
  readonly value: string
  readonly parts: readonly Part[]
  /** What is not listed, because there is so much. */
  readonly others?: { readonly count: number; readonly amount: string }
  /** Whether it is what the service has recorded or answers; null where nothing tells. */
  readonly agrees: boolean | null
  readonly says: string
}
