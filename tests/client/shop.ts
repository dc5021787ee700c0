import type { PaymentRequestInput } from '../../client/index.ts'
import { paymentInput } from '../../harness/register-merchant.ts'

export const input = (changes: object = {}) => paymentInput({ ...changes }) as PaymentRequestInput

export const allOf = async <Item>(list: AsyncIterable<Item>): Promise<Item[]> => {
  const items = []
  for await (const item of list) items.push(item)
  return items
}
