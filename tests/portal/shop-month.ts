import type { PeopleService } from '../support/people-service.ts'
import { paymentInput } from '../../harness/register-merchant.ts'

const daySeconds = 86_400

/** Pseudo-random numbers typical of a shop, with a fixed seed. */
const randoms = (seed: number) => {
  let state = seed
  return (below: number): number => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31
    return (state >> 8) % below
  }
}

type Service = Pick<PeopleService, 'call' | 'advance'>

const payment = '/merchant/v1/payment_request/'

export const pay = async ({ call }: Service, posId: string, amount: string): Promise<string> => {
  const { customer: _, ...input } = paymentInput({ pos_id: posId, amount })
  const uris = {
    success_return_uri: 'https://shop.example/',
    failure_return_uri: 'https://x.example/',
  }
  const { body } = await call('POST', payment, { ...input, ...uris })
  await call('POST', `/sandbox/v1/payment_request/${body.id}/accept/`, { payer: 'alice' }, {})
  return body.id as string
}

/** The same, captured at once. */
export const sell = async (service: Service, posId: string, amount: string): Promise<void> => {
  const tid = await pay(service, posId, amount)
  await service.call('PUT', `${payment}${tid}/`, { action: 'capture' })
}

/** A month of a shop with two tills: captures, refunds, and authorisations about to expire. */
export const furnishMonth = async (service: Service, days = 34): Promise<void> => {
  const { call, advance } = service
  const random = randoms(7)
  await call('POST', '/merchant/v1/pos/', { id: 'web', name: 'Web shop', type: 'webshop' })
  for (let day = 0; day < days; day += 1) {
    const isSunday = day % 7 === 6
    for (let left = isSunday ? 0 : 2 + random(4); left > 0; left -= 1) {
      const amount = `${60 + random(900)}.00`
      const tid = await pay(service, left % 3 === 0 ? 'web' : 'till-1', amount)
      const capture = { action: 'capture', amount, currency: 'NOK', capture_id: 'all' }
      await call('PUT', `${payment}${tid}/`, capture)
    }
    await advance(daySeconds)
  }
}

/** Authorisations that nobody has captured, the day before they expire. */
export const leaveOpen = async (service: Service, count: number): Promise<void> => {
  for (let left = count; left > 0; left -= 1) await pay(service, 'web', `${left * 450}.00`)
  await service.advance(2.5 * daySeconds)
}
