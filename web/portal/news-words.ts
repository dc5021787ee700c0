import type { StaffAction } from '../../domain/merchant/staff-roles.ts'
import { merchantAndIdIn, idIn } from '../../domain/stream.ts'
import type { Language } from '../ui/texts.ts'

type Word = readonly [en: string, nb: string]

/** By who may know it; `{}` is the id of what it is about. */
const words: Partial<Record<StaffAction, Readonly<Record<string, Word>>>> = {
  see_payments: {
    PaymentRefunded: ['A payment was refunded', 'En betaling ble refundert'],
    PaymentAuthorizationExpired: [
      'An authorisation expired without capture',
      'En reservasjon utløp uten trekk',
    ],
  },
  see_money: {
    ReportClosed: ['A report of ledger {} was closed', 'En rapport i regnskap {} ble lukket'],
    SettlementMade: ['A settlement was made', 'Et oppgjør ble laget'],
    PayoutOrdered: ['A payout was ordered from the bank', 'En utbetaling ble bestilt i banken'],
    PayoutPaid: ['A payout was paid', 'En utbetaling ble betalt'],
    PayoutReturned: ['A payout was returned', 'En utbetaling kom i retur'],
    SettlementAccountRegistered: ['The payout account was set', 'Kontoen for utbetaling ble satt'],
    SettlementAccountChanged: [
      'The payout account or its times were changed',
      'Kontoen for utbetaling eller tidene ble endret',
    ],
    FeesScheduled: ['Fees were changed', 'Gebyrer ble endret'],
  },
  see_developers: {
    DestinationRested: [
      'Sending to a callback address has stopped',
      'Sendingen til en varslingsadresse er stanset',
    ],
    DestinationWoken: [
      'Sending to a callback address has resumed',
      'Sendingen til en varslingsadresse er gjenopptatt',
    ],
    UserRegistered: ['API user {} was created', 'API-bruker {} ble opprettet'],
    UserChanged: ['API user {} was changed', 'API-bruker {} ble endret'],
    UserRemoved: ['API user {} was removed', 'API-bruker {} ble fjernet'],
    UserDisabled: ['API user {} was disabled', 'API-bruker {} ble stengt'],
    UserEnabled: ['API user {} was enabled', 'API-bruker {} ble åpnet'],
    ApplicationRegistered: ['An application was registered', 'En applikasjon ble registrert'],
    ApplicationChanged: ['An application was changed', 'En applikasjon ble endret'],
    ApplicationRemoved: ['An application was removed', 'En applikasjon ble fjernet'],
  },
  see_staff: {
    StaffInvited: ['Somebody was invited', 'Noen ble invitert'],
    StaffJoined: ['Somebody joined the staff', 'Noen ble ansatt'],
    StaffRoleChanged: ['A role was changed', 'En rolle ble endret'],
    StaffRemoved: ['Somebody was removed', 'Noen ble fjernet'],
    StaffLeft: ['Somebody left', 'Noen sluttet'],
  },
  see_overview: {
    MerchantRegistered: ['The merchant was created', 'Butikken ble opprettet'],
    MerchantChanged: [
      'Details of the merchant were changed',
      'Opplysninger om butikken ble endret',
    ],
    MerchantDisabled: ['The merchant was disabled', 'Butikken ble stengt'],
    MerchantEnabled: ['The merchant was enabled', 'Butikken ble åpnet'],
    PosRegistered: ['Point of sale {} was created', 'Utsalgssted {} ble opprettet'],
    PosChanged: ['Point of sale {} was changed', 'Utsalgssted {} ble endret'],
    PosRemoved: ['Point of sale {} was removed', 'Utsalgssted {} ble fjernet'],
  },
}

const byType = new Map(
  (Object.keys(words) as StaffAction[]).flatMap((action) =>
    Object.entries(words[action] ?? {}).map(([type, [en, nb]]) => [type, { en, nb, action }]),
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
    const word = byType.get(type)
    return word && { text: word[language].replace('{}', idOf(stream)), action: word.action }
  }
