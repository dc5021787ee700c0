import type { Html } from '../../ui/components.tsx'
import { shortlinks } from '../../../domain/aggregates.ts'
import { streamOf } from '../../../domain/stream.ts'
import type { OfferQueries } from '../../../projections/offers.ts'
import type { CodeData } from '../points/rows.ts'
import type { PortalVisitor } from '../page.tsx'
import { textsIn } from '../../../texts/catalogue.ts'

export type CustomerNeeds = {
  /** As the merchant named them; null once erased. */
  readonly showCustomer: (customer: string | null) => string | null
  readonly shortlinks: { find(stream: string): { readonly data: CodeData } | undefined }
  readonly offers: Pick<OfferQueries, 'find'>
  readonly scanToken: (scan: string) => string
  readonly findScan: (
    token: string,
  ) => { readonly shortlink: string; readonly argstring: string } | undefined
}

type OfPayment = {
  /** As it is stored; null for whoever answers first. */
  readonly customer: string | null
  /** The scan of a code that has named the payer. */
  readonly scan?: string | null | undefined
}

/** Ids and serial numbers of codes, and tokens of scans, name nobody. */
const codeName = /^(shortlink_id|shortlink_sn|token):(.+)$/

/** Whom a payment was asked of; of a code, what its label or its description calls it. */
export const customerHtml = (
  needs: CustomerNeeds,
  { language, shop }: PortalVisitor,
  { customer, scan }: OfPayment,
): Html => {
  const texts = textsIn[language].payments
  if (customer === null) return <span class="quiet">{texts.customerAnybody}</span>
  const text = needs.showCustomer(customer)
  if (text === null) return <span class="quiet">{texts.customerErased}</span>
  const [, kind, name = ''] = codeName.exec(customer) ?? []
  // A number is told as numbers are, however a till has sent it.
  if (kind === undefined) return text.replace(/^\d{8,15}$/, '+$&')
  const token = kind === 'token' ? customer : scan && needs.scanToken(scan)
  const scanned = token ? needs.findScan(token) : undefined
  const code = needs.shortlinks.find(streamOf(shortlinks, scanned?.shortlink ?? name))?.data
  const description = code?.merchant === shop.merchant ? code.description : null
  const offer = needs.offers.find(name)
  if (offer?.merchant === shop.merchant) return offer.text
  return scanned?.argstring || description || texts.customerCode
}
