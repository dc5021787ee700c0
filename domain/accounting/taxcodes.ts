import { z } from 'zod'
import type { Decider, EventsOf } from '../decider.ts'
import { ratePattern, type Rate } from '../money/money.ts'
import { refuse } from '../refusal.ts'
import { jsonEquals } from '../json-equality.ts'

export const charged = ['transaction', 'permission', 'settlement'] as const

export type Charged = (typeof charged)[number]

const rate = z.string().regex(ratePattern)

export const vatRates = z.object({ transaction: rate, permission: rate, settlement: rate })

export type VatRates = z.output<typeof vatRates>

/** Country and national code, such as `NO:2013`. */
export const taxcodePattern = /^[A-Z]{2}:[A-Za-z0-9_.-]{1,30}$/

const taxcode = z.object({
  code: z.string().regex(taxcodePattern),
  description: z.string(),
  vat: vatRates,
})

export type Taxcode = z.output<typeof taxcode>

/** Built in (interface 9). */
export const shippedTaxcode: Taxcode = {
  code: 'NO:2013',
  description:
    'Norway: payment services, settlements among them, are exempt; ' +
    'answered permission requests carry 25 %',
  vat: { transaction: '0', permission: '0.25', settlement: '0' },
}

export const taxcodeEvents = {
  /** A tax code never changes, so past charges can be recomputed. */
  TaxcodeAdded: taxcode,
} as const

type TaxcodeEvent = EventsOf<typeof taxcodeEvents>

type TaxcodeCommand = { readonly type: 'AddTaxcode'; readonly taxcode: Taxcode }

/** The operator's tax codes; the built-in one is first. */
export const taxcodes: Decider<TaxcodeCommand, TaxcodeEvent, readonly Taxcode[]> = {
  initial: [shippedTaxcode],
  decide({ taxcode }, known) {
    const existing = known.find(({ code }) => code === taxcode.code)
    if (!existing) return [{ type: 'TaxcodeAdded', data: taxcode }]
    return jsonEquals(existing, taxcode) ? [] : refuse('id_used_with_other_data')
  },
  evolve: (known, { data }) => [...known, data],
}

/** Schedules with the built-in code need not carry rates. */
export const vatRateOf = (what: Charged, code: string, vat: VatRates | undefined): Rate =>
  (vat ?? (code === shippedTaxcode.code ? shippedTaxcode.vat : undefined))?.[what] ?? '0'
