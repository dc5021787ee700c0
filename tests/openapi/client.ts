// The types that openapi-typescript generates from the document, in use: if this compiles, the
// document is complete.
import type { components, operations } from './generated/api.ts'

type Json = 'application/vnd.service.api.merchant.v1+json'
type Created<Name extends keyof operations> = operations[Name] extends {
  responses: { 201: { content: Record<Json, infer Body> } }
}
  ? Body
  : never

export const ids: string[] = [
  {} as Created<'createPaymentRequest'>,
  {} as Created<'createPermissionRequest'>,
  {} as Created<'createShortlink'>,
  {} as Created<'createApplication'>,
  {} as Created<'createPos'>,
  {} as Created<'createLedger'>,
  {} as Created<'createUser'>,
].map(({ id }: { id: string }) => id)

/** Fields with a default are omitted. */
export const request: components['schemas']['PaymentRequestInput'] = {
  pos_id: 'till-1',
  pos_tid: 'order-1',
  action: 'auth',
  currency: 'NOK',
  amount: '100.00',
  allow_credit: false,
  customer: '+4799999901',
  line_items: [{ product_id: '1', quantity: 1, item_cost: '100.00', total: '100.00' }],
}

export const capture: components['schemas']['PaymentUpdate'] = { action: 'capture' }

export const query: operations['getShortlinkLastScan']['parameters']['query'] = { ttl: 60 }
