import { pointsOfSale, shortlinks } from '../../../domain/aggregates.ts'
import { pointsOfSaleOf } from '../../../domain/merchant/staff-roles.ts'
import type { PosType } from '../../../domain/merchant/pos.ts'
import { refuse } from '../../../domain/refusal.ts'
import { streamOf, within } from '../../../domain/stream.ts'
import type { Instant } from '../../../domain/time.ts'
import type { Links } from '../../../http/addresses.ts'
import { valuePath } from '../../../http/merchant/shortlink-code.ts'
import type { PortalVisitor } from '../page.tsx'

export type PosData = {
  readonly merchant: string
  readonly id: string
  readonly name: string
  readonly type: PosType
}

export type CodeData = {
  readonly merchant: string
  readonly id: string
  readonly callbackUri: string | null
  readonly description: string | null
  readonly serialNumber: string | null
}

type Rows<Data> = {
  find(stream: string): { readonly data: Data } | undefined
  list(merchant: string, before: number, limit: number): readonly { readonly data: Data }[]
}

export type PointNeeds = {
  readonly caughtUp: () => Promise<void>
  readonly links: Links
  readonly pointsOfSale: Rows<PosData>
  readonly shortlinks: Rows<CodeData>
  readonly scanCounts: {
    /** How often each code of a merchant was scanned between two instants. */
    ofCodes(
      merchant: string,
      start: Instant,
      end: Instant,
    ): readonly { readonly shortlink: string; readonly count: number }[]
    /** How often each label of a code was scanned between two instants. */
    ofLabels(
      shortlink: string,
      start: Instant,
      end: Instant,
    ): readonly { readonly argstring: string; readonly count: number }[]
    /** How often a code was scanned, in parts of hours, from an instant on. */
    since(
      shortlink: string,
      start: Instant,
    ): readonly { readonly since: Instant; readonly count: number }[]
  }
}

/** A page shows so many of each; further ones are found by their addresses. */
export const mostListed = 500

/** @throws Refusal resource_is_unknown */
export const posOf = (
  { pointsOfSale: rows }: PointNeeds,
  { shop, me }: PortalVisitor,
  id: string,
): PosData => {
  const own = pointsOfSaleOf(me.terms)
  if (own !== null && !own.includes(id)) return refuse('resource_is_unknown')
  const row = rows.find(streamOf(pointsOfSale, within(shop.merchant, id)))
  return row?.data ?? refuse('resource_is_unknown')
}

/** @throws Refusal resource_is_unknown */
export const codeOf = (
  { shortlinks: rows }: PointNeeds,
  { shop }: PortalVisitor,
  id: string,
): CodeData => {
  const row = rows.find(streamOf(shortlinks, id))
  return row?.data.merchant === shop.merchant ? row.data : refuse('resource_is_unknown')
}

/** What a code leads to; what follows tells which of several labels was scanned. */
export const addressOfCode = ({ links }: PointNeeds, id: string, argstring = ''): string =>
  links.full(valuePath(id)) + encodeURIComponent(argstring)

export const pointsPath = (more = ''): string => `points-of-sale${more}`
