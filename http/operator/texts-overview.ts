import type { Language } from '../payer/texts.ts'

const english = {
  addresses: 'Addresses that were given up',
  addressesNone: 'No address has been given up.',
  audit: 'Last audit of the log',
  auditFailed: 'Something is wrong: daybook audit verify says what.',
  auditNever: 'None yet',
  behind: 'Events not yet folded',
  callbacks: 'Callbacks under way',
  disabled: '{} disabled',
  health: 'Health',
  merchants: 'Merchants',
  merchantsNone: 'Nobody waits for approval.',
  more: 'and {} more',
  notReady: 'Not ready',
  overview: 'Overview',
  payouts: 'Payouts to make',
  payoutsCount: '{} payouts',
  payoutsNone: 'Nothing is to be paid out.',
  ready: 'Ready',
  reports: 'Reports being closed',
  restedSince: 'given up {}',
  returned: 'Payouts that came back',
  service: 'Service',
  settlements: 'Settlements under way',
  waiting: 'Wait for approval',
  waitingMerchants: 'New merchants',
}

type OperatorOverviewTexts = Readonly<Record<keyof typeof english, string>>

const norwegian: OperatorOverviewTexts = {
  addresses: 'Adresser som er gitt opp',
  addressesNone: 'Ingen adresse er gitt opp.',
  audit: 'Siste revisjon av loggen',
  auditFailed: 'Noe er galt: daybook audit verify sier hva.',
  auditNever: 'Ingen ennå',
  behind: 'Hendelser som ikke er lest inn',
  callbacks: 'Varsler underveis',
  disabled: '{} stengt',
  health: 'Tilstand',
  merchants: 'Butikker',
  merchantsNone: 'Ingen venter på godkjenning.',
  more: 'og {} til',
  notReady: 'Ikke klar',
  overview: 'Oversikt',
  payouts: 'Utbetalinger å gjøre',
  payoutsCount: '{} utbetalinger',
  payoutsNone: 'Ingenting skal betales ut.',
  ready: 'Klar',
  reports: 'Rapporter som lukkes',
  restedSince: 'gitt opp {}',
  returned: 'Utbetalinger som kom tilbake',
  service: 'Tjenesten',
  settlements: 'Oppgjør underveis',
  waiting: 'Venter på godkjenning',
  waitingMerchants: 'Nye butikker',
}

export const operatorOverviewTexts: Readonly<Record<Language, OperatorOverviewTexts>> = {
  en: english,
  nb: norwegian,
}
