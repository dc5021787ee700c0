import type { Language } from '../payer/texts.ts'

const english = {
  add: 'Add somebody',
  addDo: 'Add',
  added: 'Added. Whoever has no account yet accepts once they have signed up.',
  addedMessage: 'You were added to the people of the operator of a payment service: {}',
  addWhat:
    'With an account for this number they have access at once, else they accept at /operator/.',
  change: 'Change',
  changeRole: 'Change the role of {}',
  erased: 'Erased account',
  invited: 'Invited',
  lastSeen: 'Last visit',
  never: 'Not yet',
  person: 'Person',
  remove: 'Remove',
  removeAsk: 'Remove {}?',
  removed: 'Removed. Access ended at once.',
  removeWhat: 'They lose access at once. What they have done stays in the books.',
  role: 'Role',
  roleChanged: 'Saved. It holds from the next page on.',
  roleWhat_admin: 'Everything: approves and disables merchants, changes people.',
  roleWhat_finance: 'Merchants and their fees, payouts and their files, the journal.',
  roleWhat_security: 'Sees the security log, keys, people, and how the service is.',
  roleWhat_support: 'Sees merchants, and how the service is.',
  save: 'Save',
  staff: 'People',
  staffWhat: 'Who works for the operator, and as what.',
  wrongPhone: 'Write the number with its country code, for example +47 999 99 901.',
  wrongRole: 'Choose a role.',
  you: 'you',
}

type PeopleTexts = Readonly<Record<keyof typeof english, string>>

const norwegian: PeopleTexts = {
  add: 'Legg til noen',
  addDo: 'Legg til',
  added: 'Lagt til. Den som ikke har konto ennå, takker ja når den er opprettet.',
  addedMessage: 'Du er lagt til hos operatøren av en betalingstjeneste: {}',
  addWhat:
    'Med en konto for dette nummeret får de tilgang straks, ellers takker de ja på /operator/.',
  change: 'Endre',
  changeRole: 'Endre rollen til {}',
  erased: 'Slettet konto',
  invited: 'Invitert',
  lastSeen: 'Siste besøk',
  never: 'Ikke ennå',
  person: 'Person',
  remove: 'Fjern',
  removeAsk: 'Fjerne {}?',
  removed: 'Fjernet. Tilgangen sluttet med en gang.',
  removeWhat: 'Tilgangen slutter med en gang. Det de har gjort, blir stående i bøkene.',
  role: 'Rolle',
  roleChanged: 'Lagret. Det gjelder fra neste side.',
  roleWhat_admin: 'Alt: godkjenner og stenger butikker, endrer personer.',
  roleWhat_finance: 'Butikker og gebyrene deres, utbetalinger og filene deres, journalen.',
  roleWhat_security: 'Ser sikkerhetsloggen, nøkler, personer, og hvordan tjenesten har det.',
  roleWhat_support: 'Ser butikker, og hvordan tjenesten har det.',
  save: 'Lagre',
  staff: 'Personer',
  staffWhat: 'Hvem som arbeider for operatøren, og som hva.',
  wrongPhone: 'Skriv nummeret med landkode, for eksempel +47 999 99 901.',
  wrongRole: 'Velg en rolle.',
  you: 'deg',
}

export const peopleTexts: Readonly<Record<Language, PeopleTexts>> = {
  en: english,
  nb: norwegian,
}
