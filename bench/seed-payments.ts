import { randomBytes, randomUUID } from 'node:crypto'
import { merchants, feeSchedules } from '../application/aggregates.ts'
import type { EventStore } from '../application/event-store.ts'
import { chargeFor } from '../domain/charge.ts'
import { noFees } from '../domain/fees.ts'
import type { Core } from '../infrastructure/core.ts'

const terms = {
  ...noFees,
  transactionRate: '0.009',
  interchangeRate: '0.0025',
  settlementFixed: 1500,
}

/** Merchants with a schedule of fees. */
export const seedMerchants = async ({ handle, contextOf }: Core, ids: readonly string[]) => {
  await Promise.all(
    ids.map(async (id) => {
      const names = { id, businessName: `Shop ${id}`, lookupIds: [], netmask: null }
      const data = { ...names, currency: 'NOK' }
      const context = contextOf('bench', id)
      await handle(merchants, id, { type: 'Register', data }, context)
      const schedule = { ...terms, from: 0, currency: 'NOK' }
      await handle(feeSchedules, id, { type: 'ScheduleFees', schedule }, context)
    }),
  )
}

const request = (merchant: string, index: number) => ({
  merchant,
  posId: 'till-1',
  posTid: `seed-${index}`,
  action: 'auth',
  currency: 'NOK',
  amount: 10_000 + (index % 1_000),
  additionalAmount: 0,
  additionalEdit: false,
  allowCredit: true,
  customer: '4799999901',
  maxScanAge: 60,
  expiresIn: 21_600,
  text: null,
  successReturnUri: null,
  failureReturnUri: null,
  requiredScope: null,
  requiredScopeText: null,
  ledger: 'default',
  callbackUri: null,
  displayMessageUri: null,
  links: [],
  lineItems: [],
})

/** Payments that were requested, authorised and captured: three lines each. Written to the log as they would have been. */
export const seedPayments = async (
  store: EventStore,
  now: number,
  count: number,
  merchantOf: (index: number) => string,
): Promise<void> => {
  const atOnce = 500
  for (let done = 0; done < count; done += atOnce)
    await Promise.all(
      Array.from({ length: Math.min(atOnce, count - done) }, (_, offset) => {
        const index = done + offset
        const merchant = merchantOf(index)
        const wish = request(merchant, index)
        const { amount, additionalAmount } = wish
        const expiresAt = now + 259_200_000
        const charge = chargeFor({ amount, additionalAmount }, true, terms)
        const authorized = { payer: 'alice', additionalAmount, credit: true, expiresAt }
        const captured = { captureId: null, amount, additionalAmount, charge }
        const about = { correlationId: 'seed', causationId: null, schema: 1, actor: 'bench' }
        const metadata = { at: now, merchant, ...about }
        const event = (type: string, data: object) => ({
          ...{ id: randomUUID(), type, metadata },
          data: data as Record<string, unknown>,
        })
        return store.append(
          `payment-${randomBytes(16).toString('hex')}`,
          [
            event('PaymentRequested', { request: wish, payer: 'alice', expiresAt }),
            event('PaymentAuthorized', authorized),
            event('PaymentCaptured', captured),
          ],
          -1,
        )
      }),
    )
}
