import type { Instant } from '../../domain/time.ts'

/** A number that an event changed, formatted. */
export type NumberChange = { readonly name: string; readonly from: string; readonly to: string }

/** A notification about an event, and the response. */
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
  /** The report and settlement that include its line. */
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
  /** Number of entries left out. */
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
  /** Amount in minor units. */
  readonly minor: string
}

/** A number, and the events that add up to it. */
export type SumOfParts = {
  readonly name: string
  readonly currency: string
  readonly value: string
  readonly parts: readonly Part[]
  /** Parts that are not listed because there are too many. */
  readonly others?: { readonly count: number; readonly amount: string }
  /**
   * Whether it equals what the service recorded or answers; null if there is nothing to compare.
   */
  readonly agrees: boolean | null
  readonly says: string
}
