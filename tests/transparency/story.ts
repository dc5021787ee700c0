import { openPlace } from '../../harness/ledger-service.ts'
import { hashSecret } from '../../infrastructure/people/secrets.ts'
import { registerMerchant } from '../../harness/register-merchant.ts'

const prefix = '/merchant/v1'
const requests = `${prefix}/payment_request/`

export type Receipt = {
  merchant: string
  about: Record<string, string | number>
  checkpoint: string
  not_covered_yet: number
  consistency: { old_size: number; size: number; hashes: string[] }[]
  entries: Entry[]
}

export type Entry = {
  index: number
  type: string
  entry?: string
  data?: string
  leaf?: string
  withheld?: string
  line?: { currency: string; action: string; charge: { fee: number } | null }
  proof: string
}

/** Large enough that the entry contains a digest of the data. */
const manyItems = Array.from({ length: 200 }, (_, number) => ({
  ...{ product_id: `product-${number}`, description: 'Coffee, as many beans as a bag can hold' },
  ...{ quantity: '1', item_cost: '1.00', total: '1.00' },
}))

/** A merchant's days: payments, two reports, two settlements, and their receipts. */
export const tellStory = async () => {
  const place = await openPlace()
  /** Waits until a checkpoint covers everything so far. */
  const passTime = () => place.sandbox('clock/', { advance_seconds: 11 })
  const settle = () => place.sandbox('settlement/', { merchant: 'sandbox' })

  const coffee = await place.authorize({ amount: '100.00' })
  await place.capture(coffee, { amount: '40.00', currency: 'NOK', capture_id: 'c1' })
  await registerMerchant(place.core, { id: 'other' }, 'till', await hashSecret('open sesame'))
  await place.refund(coffee, { amount: '10.00', currency: 'NOK', refund_id: 'r1' })
  const permission = { pos_id: 'till-1', pos_tid: 'p', scope: 'openid', customer: '4799999901' }
  const asked = await place.ask('POST', `${prefix}/permission_request/`, permission)
  await place.sandbox(`permission_request/${asked.body.id}/accept/`)
  await place.close(1)
  await passTime()
  const kept = (await place.ask('GET', '/transparency/checkpoint')).text

  await place.capture(await place.authorize({ amount: '12.50', credit: true }))
  await place.capture(await place.authorize({ amount: '20.00', currency: 'EUR' }))
  const uris = {
    success_return_uri: 'https://shop.example',
    failure_return_uri: 'https://shop.example',
  }
  const anybody = { pos_id: 'till-1', pos_tid: 'any', action: 'sale', allow_credit: true, ...uris }
  const money = { currency: 'NOK', amount: '200.00', line_items: manyItems }
  const basket = (await place.ask('POST', requests, { ...anybody, ...money })).body.id as string
  await place.sandbox(`payment_request/${basket}/accept/`)
  await place.capture(basket)
  await settle()
  const late = await place.authorize({ amount: '5.00' })
  await place.capture(late)
  await place.close(2)
  await settle()
  await passTime()

  const receiptAt = async (path: string, query = ''): Promise<Receipt> => {
    const { status, text } = await place.ask('GET', `${prefix}${path}proof/${query}`)
    if (status !== 200) throw new Error(`${path}: ${status} ${text}`)
    return JSON.parse(text)
  }
  return {
    ...{ place, passTime, kept, coffee, basket, late, receiptAt },
    paths: {
      coffee: `/payment_request/${coffee}/`,
      basket: `/payment_request/${basket}/`,
      late: `/payment_request/${late}/`,
      report1: '/ledger/default/report/1/',
      report2: '/ledger/default/report/2/',
      settlement1: '/settlement/1/',
      settlement2: '/settlement/2/',
    },
    key: async (): Promise<string> => (await place.ask('GET', '/transparency/key')).text,
    remove: async () => {
      await place.stop()
      place.remove()
    },
  }
}

export type Story = Awaited<ReturnType<typeof tellStory>>
export type Name = keyof Story['paths']
