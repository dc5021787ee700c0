import type { Find } from '../../../application/find-state.ts'
import { previewPayment } from '../../../application/preview-payment.ts'
import { payments } from '../../../domain/aggregates.ts'
import { isTheirPos } from '../../../domain/merchant/staff-roles.ts'
import type { RequestedPayment } from '../../../domain/payment/payment-state.ts'
import { refuse } from '../../../domain/refusal.ts'
import type { Instant } from '../../../domain/time.ts'
import { givenId } from '../../../http/addresses.ts'
import type { PortalVisitor } from '../page.ts'
import { shopParams } from '../pages.ts'

export const paymentParams = shopParams.extend({ tid: givenId })

export const paymentPath = (tid: string, more = ''): string => `payments/${tid}${more}`

/**
 * A payment of this merchant that the role may see, as it is at that moment: an expiry takes effect
 * at its instant. @throws Refusal resource_is_unknown
 */
export const findPayment =
  ({ find }: { readonly find: Find }) =>
  async (
    { shop, me }: Pick<PortalVisitor, 'shop' | 'me'>,
    tid: string,
    at: Instant,
  ): Promise<RequestedPayment> => {
    const payment = await find(payments, tid, 'log')
    if (payment.status === 'unrequested') return refuse('resource_is_unknown')
    const { merchant, posId } = payment.request
    if (merchant !== shop.merchant || !isTheirPos(me.terms, posId))
      return refuse('resource_is_unknown')
    return previewPayment(payment, { type: 'ExpirePayment', at }, at).after
  }

/** Points of sale, at most some hundreds. */
export type PosOf = (merchant: string) => readonly { readonly id: string; readonly name: string }[]

/** What people call each point of sale, with its id where others have the same name. */
export const namesOfPos = (
  { posOf }: { readonly posOf: PosOf },
  merchant: string,
): ReadonlyMap<string, string> => {
  const known = posOf(merchant)
  const uses = new Map<string, number>()
  for (const { name } of known) uses.set(name, (uses.get(name) ?? 0) + 1)
  const isShared = (name: string) => (uses.get(name) ?? 0) > 1
  return new Map(known.map(({ id, name }) => [id, isShared(name) ? `${name} (${id})` : name]))
}
