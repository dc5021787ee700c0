import { createPrivateKey, randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { PeopleService } from '../support/people-service.ts'
import { signedHeaders } from '../../harness/signing.ts'

/** Captures 500.00 of two payments, refunds 50.00 of one, and settles. */
export const soldAndRefunded = async (service: PeopleService, refundId = 'r1'): Promise<void> => {
  const key = createPrivateKey(readFileSync(join(service.folder, 'sandbox-admin-key.pem')))
  const signed = (method: string, path: string, body: object) =>
    signedHeaders({
      ...{ method, url: service.address + path, body: JSON.stringify(body), key },
      headers: { 'X-Service-Merchant': 'sandbox', 'X-Service-User': 'admin' },
    })
  const sell = async (amount: string) => {
    const { id } = await service.requestPayment({
      ...{ pos_tid: randomUUID(), amount, customer: '4799999901' },
    })
    await service.call('POST', `/sandbox/v1/payment_request/${id}/accept/`, {})
    await service.call('PUT', `/merchant/v1/payment_request/${id}/`, { action: 'capture' })
    return id
  }
  await sell('300.00')
  const id = await sell('200.00')
  const path = `/merchant/v1/payment_request/${id}/`
  const refund = {
    ...{ action: 'refund', refund_id: refundId, amount: '50.00', currency: 'NOK' },
    text: 'A cup was broken',
  }
  const answer = await service.call('PUT', path, refund, signed('PUT', path, refund))
  if (answer.status !== 204) throw new Error(JSON.stringify(answer.body))
  await service.call('POST', '/sandbox/v1/settlement/', { merchant: 'sandbox' })
}
