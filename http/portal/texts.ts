import type { Language } from '../payer/texts.ts'

/** What stands around every page of the portal. Each area has a table of its own beside it. */
const english = {
  allMerchants: 'All your merchants',
  approvalNote: 'Waits for approval. You can prepare everything; payments come after it.',
  backToOverview: 'Back to the overview',
  developers: 'Developers',
  disabledNote: 'This merchant is disabled: it takes no payments now.',
  forbidden: 'Your role does not show this',
  forbiddenText:
    'You are {} here. Ask an owner for another role if you need this page; nothing was changed.',
  menu: 'Merchant',
  messages: 'Messages',
  money: 'Money',
  otherMerchant: 'Change merchant',
  overview: 'Overview',
  payments: 'Payments',
  pointsOfSale: 'Points of sale',
  portal: 'Portal',
  role_accountant: 'Accountant',
  role_cashier: 'Cashier',
  role_developer: 'Developer',
  role_owner: 'Owner',
  role_support: 'Support',
  staff: 'Staff',
  yourMerchants: 'Your merchants',
}

export type FrameTexts = Readonly<Record<keyof typeof english, string>>

const norwegian: FrameTexts = {
  allMerchants: 'Alle butikkene dine',
  approvalNote: 'Venter på godkjenning. Du kan gjøre alt klart; betalinger kommer etterpå.',
  backToOverview: 'Tilbake til oversikten',
  developers: 'Utviklere',
  disabledNote: 'Butikken er stengt: den tar ikke imot betalinger nå.',
  forbidden: 'Rollen din viser ikke dette',
  forbiddenText:
    'Du er {} her. Be en eier om en annen rolle hvis du trenger siden; ingenting er endret.',
  menu: 'Butikk',
  messages: 'Meldinger',
  money: 'Penger',
  otherMerchant: 'Bytt butikk',
  overview: 'Oversikt',
  payments: 'Betalinger',
  pointsOfSale: 'Utsalgssteder',
  portal: 'Portal',
  role_accountant: 'Regnskapsfører',
  role_cashier: 'Kasserer',
  role_developer: 'Utvikler',
  role_owner: 'Eier',
  role_support: 'Kundestøtte',
  staff: 'Ansatte',
  yourMerchants: 'Butikkene dine',
}

export const frameTexts: Readonly<Record<Language, FrameTexts>> = { en: english, nb: norwegian }
