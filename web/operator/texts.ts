import type { Translated } from '../../http/negotiation.ts'

/** What stands around every page of the operator. Each area has a table of its own beside it. */
const english = {
  backToOverview: 'Back to the overview',
  forbidden: 'Your role does not show this',
  forbiddenText:
    'You are {} here. Ask an admin for another role if you need this page; nothing was changed.',
  health: 'Health',
  join: 'Accept',
  joinAs: 'You are invited to the operator’s pages as {}.',
  joinTitle: 'Invitation',
  journal: 'Journal',
  keys: 'Keys',
  menu: 'Operator',
  merchants: 'Merchants',
  operator: 'Operator',
  overview: 'Overview',
  payouts: 'Payouts',
  role_admin: 'Admin',
  role_finance: 'Finance',
  role_security: 'Security',
  role_support: 'Support',
  security: 'Security log',
  staff: 'People',
}

export type OperatorTexts = Translated<typeof english>

const norwegian: OperatorTexts = {
  backToOverview: 'Tilbake til oversikten',
  forbidden: 'Rollen din viser ikke dette',
  forbiddenText:
    'Du er {} her. Be en administrator om en annen rolle om du trenger siden; ingenting er endret.',
  health: 'Helse',
  join: 'Takk ja',
  joinAs: 'Du er invitert til operatørens sider som {}.',
  joinTitle: 'Invitasjon',
  journal: 'Journal',
  keys: 'Nøkler',
  menu: 'Operatør',
  merchants: 'Butikker',
  operator: 'Operatør',
  overview: 'Oversikt',
  payouts: 'Utbetalinger',
  role_admin: 'Administrator',
  role_finance: 'Økonomi',
  role_security: 'Sikkerhet',
  role_support: 'Kundestøtte',
  security: 'Sikkerhetslogg',
  staff: 'Personer',
}

export const operatorTexts = { en: english, nb: norwegian }
