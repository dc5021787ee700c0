import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { compiled } from '../../domain/compiled.ts'
import { eventCatalogue } from '../../domain/events.ts'
import { paymentRequestInput } from '../../http/merchant/payment-input.ts'
import { paymentUpdateInput } from '../../http/merchant/payment-update.ts'
import { events, lineItem } from '../domain/payments.ts'
import { startMerchantService, type MerchantService } from '../support/merchant-service.ts'

let service: MerchantService

beforeAll(async () => {
  service = await startMerchantService()
})
afterAll(() => service.stop())

/** Unless strict, zod silently returns what it cannot compile. */
const expectCompilable = (schema: z.ZodType): void => {
  expect(() => z.compile(schema, { strict: true })).not.toThrow()
}

describe('zod compiles', () => {
  test('what every route reads and answers', () => {
    const schemas = service.routes.flatMap(({ params, query, body, reply }) => [
      params,
      query,
      body,
      reply,
    ])
    const known = schemas.filter((schema) => schema !== undefined)
    expect(known.length).toBeGreaterThan(150)
    known.forEach(expectCompilable)
  })

  test('every event that can stand in the log', () => {
    const schemas = Object.values(eventCatalogue)
    expect(schemas.length).toBeGreaterThan(50)
    schemas.forEach(expectCompilable)
  })

  test('a schema is compiled only once', () => {
    const schema = z.object({ amount: z.int() })
    expect(compiled(schema)).toBe(compiled(schema))
    expect(compiled(schema)).not.toBe(schema)
  })
})

const request = {
  pos_id: 'till-1',
  pos_tid: 'sale-1',
  action: 'auth',
  currency: 'NOK',
  amount: '100.00',
  additional_amount: '10.00',
  customer: '4799999901',
  text: 'Two coffees',
  callback_uri: 'https://shop.example/told',
  expires_in: 60,
  allow_credit: true,
  line_items: [
    {
      product_id: 'coffee',
      description: 'Coffee',
      item_cost: '50.00',
      quantity: '2',
      total: '100.00',
    },
  ],
  links: [{ uri: 'https://shop.example/', caption: 'Shop', show_on: ['ok'] }],
}
const { data: requested } = events.requested({ lineItems: [lineItem(10_000)] })

const examples: readonly (readonly [what: string, schema: z.ZodType, example: object])[] = [
  ['a payment request', paymentRequestInput, request],
  [
    'a capture',
    paymentUpdateInput,
    { action: 'CAPTURE', amount: '1.00', currency: 'NOK', capture_id: 'a' },
  ],
  ['an event', eventCatalogue.PaymentRequested, requested],
]

/** The example with a member, or a member's member, removed or replaced. */
const changed = (example: object): fc.Arbitrary<unknown> =>
  fc
    .tuple(fc.constantFrom(...Object.keys(example)), fc.option(fc.jsonValue()), fc.boolean())
    .chain(([name, value, isWithin]) => {
      const given = example as Record<string, unknown>
      const member = given[name]
      const isObject = typeof member === 'object' && member !== null
      if (isWithin && isObject && Object.keys(member).length > 0)
        return changed(member).map((inner) => ({
          ...given,
          [name]: Array.isArray(member) ? Object.values(inner as object) : inner,
        }))
      const { [name]: _, ...others } = given
      return fc.constant(value === null ? others : { ...given, [name]: value })
    })

const told = (schema: z.ZodType, value: unknown) => {
  const { success, data, error } = schema.safeParse(value)
  return { success, data, issues: error?.issues }
}

describe('a compiled schema', () => {
  test.each(examples)('reads %s as the schema does', (_, schema, example) => {
    expect(told(schema, example)).toMatchObject({ success: true })
    expect(told(compiled(schema), example)).toEqual(told(schema, example))
  })

  test.each(examples)('reports what is not %s just as the schema does', (_, schema, example) => {
    fc.assert(
      fc.property(changed(example), (value) => {
        expect(told(compiled(schema), value)).toEqual(told(schema, value))
      }),
    )
  })
})
