import type { Call } from '../../http/call.ts'
import { likedLanguages, type Translated } from '../../http/negotiation.ts'
import { refusedTextsInEnglish, refusedTextsInNorwegian } from '../portal/texts-refused.ts'
import { accountTextsInEnglish, accountTextsInNorwegian } from './texts-account.ts'
import { consentTextsInEnglish, consentTextsInNorwegian } from './texts-consent.ts'
import { paymentTextsInEnglish, paymentTextsInNorwegian } from './texts-payment.ts'
import { problemTextsInEnglish, problemTextsInNorwegian } from './texts-problems.ts'

/**
 * Everything that payers read, by language. A language is added by adding a column of the same
 * keys.
 */
const english = {
  ...accountTextsInEnglish,
  ...consentTextsInEnglish,
  ...paymentTextsInEnglish,
  ...problemTextsInEnglish,
  ...refusedTextsInEnglish,
  account: 'Your account',
  address: 'Address',
  authenticatorTitle: 'Connect your authenticator',
  authenticatorWhat:
    'An authenticator is an app on your phone that shows a new six-digit code every half minute. ' +
    'You need it each time you sign in, so that your PIN alone opens nothing. Google ' +
    'Authenticator, Microsoft Authenticator, 1Password and the passwords app of your phone can ' +
    'all do it.',
  cancel: 'Cancel',
  changeDetails: 'Change your details',
  chooseCountry: 'Choose a country',
  code: 'One-time code',
  codeHint: 'Six digits from your authenticator app.',
  continue: 'Continue',
  copied: 'Copied',
  copyKey: 'Copy key',
  country: 'Country',
  date: 'Date',
  deviceIsOut: 'That device is signed out.',
  devices: 'Where you are signed in',
  done: 'Done',
  email: 'E-mail address',
  empty: 'Nothing is waiting for you.',
  finishSignUp: 'Finish',
  forExample: 'Digits with the country code, for example +47 999 99 901',
  haveAccount: 'Already have an account? Sign in',
  hello: 'Hello, {}',
  hidePin: 'Hide PIN',
  history: 'History',
  historyEmpty: 'You have not paid or granted anything yet.',
  home: 'Start',
  help: 'Help',
  live: 'This page follows along by itself.',
  locality: 'Town or city',
  name: 'Full name',
  newHere: 'New here? Make an account',
  older: 'Older',
  openAuthenticator: 'Open in authenticator app',
  orTypeKey: 'Or add this key to the app by hand',
  or: 'or',
  phone: 'Phone number',
  pin: 'PIN',
  pinAgain: 'PIN once more',
  pinHint: '4 to 12 digits. Not 1111, not 1234.',
  pinKept: 'Your PIN is kept. Type one only to choose another.',
  postalCode: 'Postal code',
  privacy: 'Privacy',
  save: 'Save',
  saved: 'Your details are saved.',
  scan: 'Scan a code',
  scanHint: 'Point your phone’s camera at the code, or type what it says.',
  scanned: 'The text of the code',
  shippingAddress: 'Shipping address',
  showPin: 'Show PIN',
  signedInAs: 'Signed in as',
  signedInAt: 'Signed in {}',
  signIn: 'Sign in',
  signOut: 'Sign out',
  signUp: 'Make an account',
  stay: 'Stay here',
  step: 'Step {} of {}',
  street: 'Street address',
  thenType: 'Then type the code that the app shows.',
  thisDevice: 'This device',
  terms: 'Terms',
  unknownDevice: 'Unknown device',
  waiting: 'Waiting for you',
  yourDetails: 'Your details',
}

export type Texts = Translated<typeof english>

const norwegian: Texts = {
  ...accountTextsInNorwegian,
  ...consentTextsInNorwegian,
  ...paymentTextsInNorwegian,
  ...problemTextsInNorwegian,
  ...refusedTextsInNorwegian,
  account: 'Kontoen din',
  address: 'Adresse',
  authenticatorTitle: 'Koble til autentiseringsappen',
  authenticatorWhat:
    'En autentiseringsapp er en app på telefonen som viser en ny sekssifret kode hvert halve ' +
    'minutt. Du trenger den hver gang du logger inn, så PIN-koden alene åpner ingenting. Google ' +
    'Authenticator, Microsoft Authenticator, 1Password og passordappen på telefonen din kan alle ' +
    'gjøre det.',
  cancel: 'Avbryt',
  changeDetails: 'Endre opplysningene dine',
  chooseCountry: 'Velg et land',
  code: 'Engangskode',
  codeHint: 'Seks sifre fra autentiseringsappen din.',
  continue: 'Fortsett',
  copied: 'Kopiert',
  copyKey: 'Kopier nøkkelen',
  country: 'Land',
  date: 'Dato',
  deviceIsOut: 'Enheten er logget ut.',
  devices: 'Her er du logget inn',
  done: 'Ferdig',
  email: 'E-postadresse',
  empty: 'Ingenting venter på deg.',
  finishSignUp: 'Fullfør',
  forExample: 'Sifre med landkode, for eksempel +47 999 99 901',
  haveAccount: 'Har du en konto? Logg inn',
  hello: 'Hei, {}',
  hidePin: 'Skjul PIN',
  history: 'Historikk',
  historyEmpty: 'Du har ikke betalt eller tillatt noe ennå.',
  home: 'Start',
  help: 'Hjelp',
  live: 'Denne siden følger med av seg selv.',
  locality: 'Poststed',
  name: 'Fullt navn',
  newHere: 'Ny her? Lag en konto',
  older: 'Eldre',
  openAuthenticator: 'Åpne i autentiseringsappen',
  orTypeKey: 'Eller legg denne nøkkelen inn i appen for hånd',
  or: 'eller',
  phone: 'Telefonnummer',
  pin: 'PIN',
  pinAgain: 'PIN en gang til',
  pinHint: '4 til 12 sifre. Ikke 1111, ikke 1234.',
  pinKept: 'PIN-koden din er beholdt. Skriv bare hvis du vil velge en annen.',
  postalCode: 'Postnummer',
  privacy: 'Personvern',
  save: 'Lagre',
  saved: 'Opplysningene dine er lagret.',
  scan: 'Skann en kode',
  scanHint: 'Rett telefonkameraet mot koden, eller skriv det den sier.',
  scanned: 'Teksten i koden',
  shippingAddress: 'Leveringsadresse',
  showPin: 'Vis PIN',
  signedInAs: 'Logget inn som',
  signedInAt: 'Logget inn {}',
  signIn: 'Logg inn',
  signOut: 'Logg ut',
  signUp: 'Lag en konto',
  stay: 'Bli her',
  step: 'Steg {} av {}',
  street: 'Gateadresse',
  thenType: 'Skriv så koden som appen viser.',
  thisDevice: 'Denne enheten',
  terms: 'Vilkår',
  unknownDevice: 'Ukjent enhet',
  waiting: 'Venter på deg',
  yourDetails: 'Opplysningene dine',
}

export type Language = 'en' | 'nb'

export const textsIn: Readonly<Record<Language, Texts>> = { en: english, nb: norwegian }

const canonical = (tag: string): string | undefined => {
  try {
    return Intl.getCanonicalLocales(tag)[0]
  } catch {
    return undefined
  }
}

/** Language, script and region: Intl takes quadratic time for the rest of a long tag. */
const englishTag = /^en(-[a-z]{4})?(-([a-z]{2}|\d{3}))?(?=-|$)/

/**
 * The best liked language of an Accept-Language header that we speak, else English; and the locale
 * for amounts and times, such as `en-GB`.
 */
export const languageOf = (
  header: string | undefined,
): { readonly language: Language; readonly locale: string } => {
  for (const tag of likedLanguages(header)) {
    if (/^(nb|no|nn)\b/.test(tag)) return { language: 'nb', locale: 'nb-NO' }
    const [wanted] = englishTag.exec(tag) ?? []
    if (wanted !== undefined) return { language: 'en', locale: canonical(wanted) ?? 'en' }
  }
  return { language: 'en', locale: 'en' }
}

/** In the language that a request prefers. */
export const textsFor = ({ request }: Call): Texts =>
  textsIn[languageOf(request.header('accept-language')).language]
