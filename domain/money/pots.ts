import { add, subtract, type MinorUnits } from './money.ts'

/** The amount and an addition to it (a tip). Each is captured and refunded separately. */
export type Pots = { readonly amount: MinorUnits; readonly additionalAmount: MinorUnits }

export const nothing: Pots = { amount: 0, additionalAmount: 0 }

export const potsOf = ({ amount, additionalAmount }: Pots): Pots => ({ amount, additionalAmount })

export const plus = (a: Pots, b: Pots): Pots => ({
  amount: add(a.amount, b.amount),
  additionalAmount: add(a.additionalAmount, b.additionalAmount),
})

export const minus = (a: Pots, b: Pots): Pots => ({
  amount: subtract(a.amount, b.amount),
  additionalAmount: subtract(a.additionalAmount, b.additionalAmount),
})

export const isNothing = ({ amount, additionalAmount }: Pots): boolean =>
  amount === 0 && additionalAmount === 0

export const samePots = (a: Pots, b: Pots): boolean => isNothing(minus(a, b))
