import type { StaffAction } from '../../domain/merchant/staff-roles.ts'
import { merchantAndIdIn, idIn } from '../../domain/stream.ts'
import type { Language } from '../payer/texts.ts'

type Word = {
  readonly en: string
  readonly nb: string
  /** Who may know it. */
  readonly action: StaffAction
}

/** `{}` is the id of what it is about. */
const words: Readonly<Record<string, Word>> = {
  PaymentRefunded: {
    en: 'A payment was refunded',
    nb: 'En betaling ble refundert',
    action: 'see_payments',
  },
  PaymentAuthorizationExpired: {
    en: 'An authorisation expired without capture',
    nb: 'En reservasjon utløp uten trekk',
    action: 'see_payments',
  },
  ReportClosed: {
    en: 'A report of ledger {} was closed',
    nb: 'En rapport i regnskap {} ble lukket',
    action: 'see_money',
  },
  SettlementMade: { en: 'A settlement was made', nb: 'Et oppgjør ble laget', action: 'see_money' },
  PayoutOrdered: {
    en: 'A payout was ordered from the bank',
    nb: 'En utbetaling ble bestilt i banken',
    action: 'see_money',
  },
  PayoutPaid: { en: 'A payout was paid', nb: 'En utbetaling ble betalt', action: 'see_money' },
  PayoutReturned: {
    en: 'A payout was returned',
    nb: 'En utbetaling kom i retur',
    action: 'see_money',
  },
  DestinationRested: {
    en: 'Sending to a callback address has stopped',
    nb: 'Sendingen til en varslingsadresse er stanset',
    action: 'see_developers',
  },
  DestinationWoken: {
    en: 'Sending to a callback address has resumed',
    nb: 'Sendingen til en varslingsadresse er gjenopptatt',
    action: 'see_developers',
  },
  StaffInvited: { en: 'Somebody was invited', nb: 'Noen ble invitert', action: 'see_staff' },
  StaffJoined: { en: 'Somebody joined the staff', nb: 'Noen ble ansatt', action: 'see_staff' },
  StaffRoleChanged: { en: 'A role was changed', nb: 'En rolle ble endret', action: 'see_staff' },
  StaffRemoved: { en: 'Somebody was removed', nb: 'Noen ble fjernet', action: 'see_staff' },
  StaffLeft: { en: 'Somebody left', nb: 'Noen sluttet', action: 'see_staff' },
  UserRegistered: {
    en: 'API user {} was created',
    nb: 'API-bruker {} ble opprettet',
    action: 'see_developers',
  },
  UserChanged: {
    en: 'API user {} was changed',
    nb: 'API-bruker {} ble endret',
    action: 'see_developers',
  },
  UserRemoved: {
    en: 'API user {} was removed',
    nb: 'API-bruker {} ble fjernet',
    action: 'see_developers',
  },
  UserDisabled: {
    en: 'API user {} was disabled',
    nb: 'API-bruker {} ble stengt',
    action: 'see_developers',
  },
  UserEnabled: {
    en: 'API user {} was enabled',
    nb: 'API-bruker {} ble åpnet',
    action: 'see_developers',
  },
  ApplicationRegistered: {
    en: 'An application was registered',
    nb: 'En applikasjon ble registrert',
    action: 'see_developers',
  },
  ApplicationChanged: {
    en: 'An application was changed',
    nb: 'En applikasjon ble endret',
    action: 'see_developers',
  },
  ApplicationRemoved: {
    en: 'An application was removed',
    nb: 'En applikasjon ble fjernet',
    action: 'see_developers',
  },
  SettlementAccountRegistered: {
    en: 'The payout account was set',
    nb: 'Kontoen for utbetaling ble satt',
    action: 'see_money',
  },
  SettlementAccountChanged: {
    en: 'The payout account or its times were changed',
    nb: 'Kontoen for utbetaling eller tidene ble endret',
    action: 'see_money',
  },
  MerchantRegistered: {
    en: 'The merchant was created',
    nb: 'Butikken ble opprettet',
    action: 'see_overview',
  },
  MerchantChanged: {
    en: 'Details of the merchant were changed',
    nb: 'Opplysninger om butikken ble endret',
    action: 'see_overview',
  },
  MerchantDisabled: {
    en: 'The merchant was disabled',
    nb: 'Butikken ble stengt',
    action: 'see_overview',
  },
  MerchantEnabled: {
    en: 'The merchant was enabled',
    nb: 'Butikken ble åpnet',
    action: 'see_overview',
  },
  PosRegistered: {
    en: 'Point of sale {} was created',
    nb: 'Utsalgssted {} ble opprettet',
    action: 'see_overview',
  },
  PosChanged: {
    en: 'Point of sale {} was changed',
    nb: 'Utsalgssted {} ble endret',
    action: 'see_overview',
  },
  PosRemoved: {
    en: 'Point of sale {} was removed',
    nb: 'Utsalgssted {} ble fjernet',
    action: 'see_overview',
  },
  FeesScheduled: { en: 'Fees were changed', nb: 'Gebyrer ble endret', action: 'see_money' },
}

const idOf = (stream: string): string => {
  const id = idIn(stream)
  return id.includes('/') ? merchantAndIdIn(id)[1] : id
}

/** What an event is called, and who may know it; undefined for one that nobody is told of. */
export const newsWords =
  (language: Language) =>
  ({ type, stream }: { readonly type: string; readonly stream: string }) => {
    const word = words[type]
    return word && { text: word[language].replace('{}', idOf(stream)), action: word.action }
  }
