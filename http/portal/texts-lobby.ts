import type { Translated } from '../negotiation.ts'

const english = {
  accept: 'Join',
  currency: 'Currency',
  currencyHint: 'Three letters, such as NOK or EUR. It cannot be changed later.',
  decline: 'Decline',
  disabled: 'Disabled',
  invitations: 'Invitations',
  invitedAs: 'You are invited as {}',
  isTaken: 'There is already a merchant with this organisation number.',
  leave: 'Leave {}',
  leaveNo: 'Stay',
  name: 'Business name',
  nameHint: 'As payers see it.',
  none: 'You are not on the staff of any merchant yet.',
  noneHint: 'Ask an owner to invite you by your phone number, or sign up your own business.',
  organization: 'Organisation number',
  payoutAccount: 'Payout account',
  payoutHint:
    'An IBAN or a national account number. In the sandbox you can use NO93 8601 1117 947.',
  signUp: 'Sign up a business',
  signUpDo: 'Create the merchant',
  signUpProduction:
    'You can set everything up right away. You can take payments once we have approved the ' +
    'business.',
  signUpSandbox: 'The merchant is created at once, and you are its owner. No real money moves.',
  waits: 'Waiting for approval',
  wrongAccount: 'Write an IBAN with right check digits, or a national account number.',
  wrongCurrency: 'Write a current code of three letters, such as NOK.',
  wrongName: 'Write the name of the business, at most 100 characters.',
  wrongOrganization: 'Write the number with 4 to 20 letters and digits.',
}

const norwegian: Translated<typeof english> = {
  accept: 'Bli med',
  currency: 'Valuta',
  currencyHint: 'Tre bokstaver, som NOK eller EUR. Den kan ikke endres senere.',
  decline: 'Avslå',
  disabled: 'Stengt',
  invitations: 'Invitasjoner',
  invitedAs: 'Du er invitert som {}',
  isTaken: 'Det finnes allerede en butikk med dette organisasjonsnummeret.',
  leave: 'Slutt i {}',
  leaveNo: 'Bli',
  name: 'Navn på bedriften',
  nameHint: 'Slik betalere ser det.',
  none: 'Du er ikke ansatt i noen butikk ennå.',
  noneHint: 'Be en eier invitere deg med telefonnummeret ditt, eller registrer din egen bedrift.',
  organization: 'Organisasjonsnummer',
  payoutAccount: 'Konto for utbetaling',
  payoutHint: 'IBAN eller nasjonalt kontonummer. I sandkassen kan du bruke NO93 8601 1117 947.',
  signUp: 'Registrer en bedrift',
  signUpDo: 'Opprett butikken',
  signUpProduction:
    'Du kan gjøre alt klart med en gang. Betalinger kan tas imot når vi har godkjent bedriften.',
  signUpSandbox: 'Butikken opprettes med en gang, og du er eieren. Ingen ekte penger flyttes.',
  waits: 'Venter på godkjenning',
  wrongAccount: 'Skriv en IBAN med riktige kontrollsifre, eller et nasjonalt kontonummer.',
  wrongCurrency: 'Skriv en gyldig kode på tre bokstaver, som NOK.',
  wrongName: 'Skriv navnet på bedriften, høyst 100 tegn.',
  wrongOrganization: 'Skriv nummeret med 4 til 20 bokstaver og sifre.',
}

export const lobbyTexts = { en: english, nb: norwegian }
