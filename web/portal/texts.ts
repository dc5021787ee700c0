import type { Translated } from '../../http/negotiation.ts'

/** What stands around every page of the portal. Each area has a table of its own beside it. */
const english = {
  approvalNote:
    'Waiting for approval. Set everything up now; you can take payments once you are ' +
    'approved.',
  backToOverview: 'Back to the overview',
  dayIn: 'The day in {}',
  developers: 'Developers',
  disabledNote: 'This merchant is disabled and cannot take payments.',
  forbidden: 'Your role has no access to this page',
  forbiddenText:
    'Your role here is {}. Ask an owner for another role if you need this page. Nothing was ' +
    'changed.',
  formCosts: 'What it costs',
  formNext: 'What happens next',
  formWhat: 'What it does',
  formWho: 'Whom it is about',
  menu: 'Merchant',
  messages: 'Messages',
  money: 'Money',
  otherMerchant: 'Switch merchant',
  overview: 'Overview',
  payments: 'Payments',
  pointsOfSale: 'Points of sale',
  portal: 'Portal',
  role_accountant: 'Accountant',
  role_cashier: 'Cashier',
  role_developer: 'Developer',
  role_owner: 'Owner',
  role_support: 'Support',
  sandboxClock: 'Sandbox clock',
  staff: 'Staff',
  yourMerchants: 'Your merchants',
}

const norwegian: Translated<typeof english> = {
  approvalNote:
    'Venter på godkjenning. Gjør alt klart nå; dere kan ta imot betalinger når dere er ' +
    'godkjent.',
  backToOverview: 'Tilbake til oversikten',
  dayIn: 'Dagen i {}',
  developers: 'Utviklere',
  disabledNote: 'Butikken er stengt og kan ikke ta imot betalinger.',
  forbidden: 'Rollen din har ikke tilgang til denne siden',
  forbiddenText:
    'Rollen din her er {}. Be en eier om en annen rolle hvis du trenger siden. Ingenting er ' +
    'endret.',
  formCosts: 'Hva det koster',
  formNext: 'Hva som skjer videre',
  formWhat: 'Hva det gjør',
  formWho: 'Hvem det gjelder',
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
  sandboxClock: 'Sandkassens klokke',
  staff: 'Ansatte',
  yourMerchants: 'Butikkene dine',
}

export const frameTexts = { en: english, nb: norwegian }
