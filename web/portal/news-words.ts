import type { StaffAction } from '../../domain/merchant/staff-roles.ts'
import { merchantAndIdIn, idIn } from '../../domain/stream.ts'
import { textsIn } from '../../texts/catalogue.ts'
import type { Catalogue, Language } from '../../texts/generated/texts.ts'
import { filledText } from '../../texts/message.ts'

type News = keyof Catalogue['news']

/** Events that people are told of, by who may know of them. */
const types = {
  see_payments: ['PaymentRefunded', 'PaymentDisputed', 'PaymentAuthorizationExpired'],
  see_money: [
    'ReportClosed',
    'SettlementMade',
    'CorrectionApproved',
    'DebtBilled',
    'PayoutOrdered',
    'PayoutPaid',
    'PayoutReturned',
    'SettlementAccountRegistered',
    'SettlementAccountChanged',
    'FeesScheduled',
  ],
  see_developers: [
    'DestinationRested',
    'DestinationWoken',
    'EventDestinationRegistered',
    'EventDestinationChanged',
    'EventDestinationRemoved',
    'UserRegistered',
    'UserChanged',
    'UserRemoved',
    'UserDisabled',
    'UserEnabled',
    'ApplicationRegistered',
    'ApplicationChanged',
    'ApplicationRemoved',
  ],
  see_staff: ['StaffInvited', 'StaffJoined', 'StaffRoleChanged', 'StaffRemoved', 'StaffLeft'],
  see_overview: [
    'MerchantRegistered',
    'MerchantChanged',
    'MerchantDisabled',
    'MerchantEnabled',
    'PosRegistered',
    'PosChanged',
    'PosRemoved',
  ],
} as const satisfies { readonly [Action in StaffAction]?: readonly News[] }

const byType: ReadonlyMap<string, { readonly type: News; readonly action: StaffAction }> = new Map(
  (Object.keys(types) as (keyof typeof types)[]).flatMap((action) =>
    types[action].map((type) => [type, { type, action }] as const),
  ),
)

const idOf = (stream: string): string => {
  const id = idIn(stream)
  return id.includes('/') ? merchantAndIdIn(id)[1] : id
}

/** What an event is called, and who may know it; undefined for one that nobody is told of. */
export const newsWords =
  (language: Language) =>
  ({ type, stream }: { readonly type: string; readonly stream: string }) => {
    const known = byType.get(type)
    if (!known) return undefined
    const text = filledText(textsIn[language].news[known.type], { id: idOf(stream) })
    return { text, action: known.action }
  }
