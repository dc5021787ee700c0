import { applications, merchants, pointsOfSale, staffs } from '../../domain/aggregates.ts'
import { portalPos } from '../../application/take-payment.ts'
import { streamOf, within } from '../../domain/stream.ts'
import type { Core } from '../core.ts'
import type { Context } from '../../application/handle.ts'
import type { StaffMember } from '../../domain/merchant/staff.ts'
import type { Operator } from '../../domain/people/operator-roles.ts'
import { visitMs } from '../../domain/staff-members.ts'
import type { operatorsIn } from '../people/staff.ts'

type Visitor = {
  readonly shop: { readonly merchant: string }
  readonly me: Visited
}

type Visited = Pick<StaffMember, 'member' | 'visits'>

type Visit = { readonly type: 'Visit'; readonly member: string }

/** Records visits, but not each page, in the background. */
const noting =
  ({ log }: Core) =>
  ({ member, visits }: Visited, { at }: Context, record: (visit: Visit) => Promise<unknown>) => {
    const [last] = visits
    if (last && at < last.at + visitMs) return
    void record({ type: 'Visit', member }).catch((error: unknown) =>
      log.debug({ error }, 'a visit was not recorded'),
    )
  }

export const staffVisits = (core: Core) => {
  const note = noting(core)
  return ({ shop: { merchant }, me }: Visitor, context: Context): void =>
    note(me, context, (visit) => core.handle(staffs, merchant, visit, context))
}

export const operatorVisits = (
  core: Core,
  { changeOperators }: Pick<ReturnType<typeof operatorsIn>, 'changeOperators'>,
) => {
  const note = noting(core)
  return (operator: Operator, context: Context): void =>
    note(operator, context, (visit) => changeOperators(visit, context))
}

type Rows = {
  readonly merchants: Pick<Core['merchants'], 'merchants' | 'pointsOfSale' | 'list'>
  readonly people: Pick<Core['people'], 'applications'>
}

/** How merchants, points of sale and applications present themselves to payers. */
export const shopsOf = ({ merchants: rows, people }: Rows) => {
  const find = (merchant: string) => rows.merchants.find(streamOf(merchants, merchant))
  const shop = (merchant: string) => find(merchant)?.data
  const shopName = (merchant: string): string => shop(merchant)?.businessName ?? merchant
  return {
    findApplication: (client: string) => {
      const row = people.applications.find(streamOf(applications, client))
      const isShopDisabled = row && find(row.data.merchant)?.isDisabled
      return row && { ...row.data, isDisabled: row.isDisabled || (isShopDisabled ?? false) }
    },
    shopName,
    /** ISO 3166; null if unknown. */
    countryOf: (merchant: string): string | null => shop(merchant)?.jurisdiction ?? null,
    findShop: (merchant: string) => {
      const row = find(merchant)
      if (!row) return undefined
      const { businessName: name, jurisdiction: country, currency, timeZone, ...more } = row.data
      const { callbackUri } = more
      const about = { merchant, name, country, currency, timeZone, callbackUri }
      const { waits, reason } = rows.list.approvalOf(merchant)
      return { ...about, isDisabled: row.isDisabled, waits, reason }
    },
    shopOf: (merchant: string, posId: string) => ({
      shop: shopName(merchant),
      logo: shop(merchant)?.logo ?? null,
      // That of the portal means nothing to a payer.
      pos:
        posId === portalPos
          ? null
          : (rows.pointsOfSale.find(streamOf(pointsOfSale, within(merchant, posId)))?.data.name ??
            null),
    }),
  }
}

/** The merchant that has an organisation number, claimed or not. */
export const holderOfOrganization =
  ({ merchants }: Pick<Core, 'merchants'>) =>
  (id: string): string | undefined =>
    merchants.lookUpMerchant(id)?.data.id
