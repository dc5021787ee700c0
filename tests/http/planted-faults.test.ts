// @module-tag long
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  authorizedPayment,
  requestPayment,
  paths,
  startService,
  type Service,
} from '../support/http-service.ts'
import { paymentInput } from '../../harness/register-merchant.ts'
import { foreign, line, permissionInput, permissions, shortlinks } from './faulty-bodies.ts'

/** Independent faults of all kinds, in random fields (interface 2). */

let service: Service

let pending: string

let authorized: string

beforeAll(async () => {
  service = await startService({ PUSHER_KEY: 'shop.key', PUSHER_SECRET: 'only tests know this' })
  await service.addMerchant('other')
  pending = await requestPayment(service.pos1)
  authorized = await authorizedPayment(service)
})

afterAll(() => service.stop())

type Planted = readonly [field: string, ...values: unknown[]]

const uri = 'nowhere'

const longText = 'x'.repeat(1_001)

const ofPayment: readonly Planted[] = [
  ['pos_id', 'nope', 'a b', null, 7],
  ['pos_tid', 'a b', ''],
  ['action', 'foo', false],
  ['currency', 'XXZ', 'kroner'],
  ['amount', '0.00', '-1', '1.00001', 'much', null],
  ['additional_amount', '-1', '1.00001', {}],
  ['additional_edit', 'yes'],
  ['allow_credit', null, 'no'],
  ['max_scan_age', -1],
  ['expires_in', 1.5],
  ['text', longText],
  ['ledger', 'nope', 'x'.repeat(101)],
  ['callback_uri', uri, foreign],
  ['display_message_uri', uri, foreign],
  ['success_return_uri', uri],
  ['required_scope_text', longText],
  ['line_items', 'none'],
  ['links', 'none'],
]

const ofPermission: readonly Planted[] = [
  ['pos_id', 'nope', 'a b'],
  ['pos_tid', 'a b', null],
  ['customer', '', 'x'.repeat(101)],
  ['scope', ' ', null],
  ['text', longText],
  ['callback_uri', uri, foreign],
  ['expires_in', -1],
]

const ofShortlink: readonly Planted[] = [
  ['callback_uri', uri, foreign],
  ['description', longText],
  ['serial_number', 'zzz', 'a b'],
]

const ofCapture: readonly Planted[] = [
  ['amount', '100.01', '-1', '1.001', null],
  ['additional_amount', '0.01', '-1', '1.001'],
  ['capture_id', 'a b'],
]

const ofAmendment: readonly Planted[] = [
  ['ledger', 'nope'],
  ['callback_uri', uri, foreign],
  ['display_message_uri', uri, foreign],
  ['links', 'none'],
  ['line_items', [line('2.00')], 'none'],
]

const capture = { action: 'capture', amount: '1.00', currency: 'NOK', capture_id: 'a' }

const bodies = [
  ['POST', () => paths.payments, () => paymentInput(), ofPayment],
  ['POST', () => permissions, () => permissionInput, ofPermission],
  ['POST', () => shortlinks, () => ({}), ofShortlink],
  ['PUT', () => authorized, () => capture, ofCapture],
  ['PUT', () => pending, () => ({}), ofAmendment],
] as const

test.each(bodies)(
  'given faults planted in a %s (%#), then the answer names them all',
  async (method, path, right, faults) => {
    const planted = fc
      .subarray([...faults], { minLength: 1 })
      .chain((some) =>
        fc.tuple(
          ...some.map(([field, ...values]) =>
            fc.constantFrom(...values).map((value) => [field, value] as const),
          ),
        ),
      )
    await fc.assert(
      fc.asyncProperty(planted, async (some) => {
        const body = { ...right(), ...Object.fromEntries(some) }
        const answer = await service.pos1(method, path(), body)
        expect([answer.status, Object.keys(answer.body.error_details).sort()]).toEqual([
          400,
          some.map(([field]) => field).sort(),
        ])
      }),
      { numRuns: 30 },
    )
  },
)
