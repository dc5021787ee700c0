import { filledText } from '../../application/filled-text.ts'
import type { Language } from '../ui/texts.ts'

const norwegianStatuses: Readonly<Record<string, string>> = {
  'the receiver asks for credentials: let callbacks in without, and check their signature':
    'mottakeren ber om innlogging: slipp varsler inn uten, og kontroller signaturen',
  'the receiver refuses them: look at its firewall and its check of signatures':
    'mottakeren avviser dem: se på brannmuren og kontrollen av signaturer',
  'there is nothing at this address: set another callback_uri':
    'det er ingenting på denne adressen: sett en annen callback_uri',
  'the receiver takes no POST at this address': 'mottakeren tar ikke imot POST på denne adressen',
  'the receiver wants no more of them': 'mottakeren vil ikke ha flere',
  'the receiver takes no message of this size':
    'mottakeren tar ikke imot meldinger av denne størrelsen',
  'the receiver asks for fewer of them': 'mottakeren ber om færre',
  'the receiver is out of service': 'mottakeren er ute av drift',
  'the receiver failed: look at its log': 'mottakeren feilet: se i loggen der',
  'redirects are not followed, register another':
    'videresendinger følges ikke, registrer en annen adresse',
  'redirects are not followed, register {}': 'videresendinger følges ikke, registrer {}',
}

/**
 * What the log tells of a callback that was not delivered, and the same in Norwegian. The log has
 * one language, so that other readers of it can compare.
 */
const norwegian: readonly (readonly [told: string, text: string])[] = [
  ...Object.entries(norwegianStatuses).map(
    ([told, text]) =>
      [`answered with status {}: ${told}`, `svarte med status {}: ${text}`] as const,
  ),
  ['answered with status {}', 'svarte med status {}'],
  ['no answer within {} seconds', 'ikke noe svar innen {} sekunder'],
  [
    '{}; CALLBACK_CA_FILE can name further certificate authorities',
    '{}; CALLBACK_CA_FILE kan nevne flere sertifikatutstedere',
  ],
  [
    'nobody listens at this address: is the receiver running?',
    'ingen lytter på denne adressen: kjører mottakeren?',
  ],
  ['the answer is not one that HTTP allows: {}', 'svaret er ikke et som HTTP tillater: {}'],
  ['the answer is not one that HTTP allows', 'svaret er ikke et som HTTP tillater'],
  ['the connection was closed before an answer', 'forbindelsen ble lukket før et svar kom'],
  ['no TLS connection: {}', 'ingen TLS-forbindelse: {}'],
  ['the certificate is for {} and not for {}', 'sertifikatet er for {} og ikke for {}'],
  ['the certificate has expired on {}', 'sertifikatet utløp {}'],
  ['the certificate is not valid before {}', 'sertifikatet gjelder ikke før {}'],
  ['no address of {} is found ({})', 'ingen adresse for {} er funnet ({})'],
  ['{} is not on the open internet', '{} er ikke på det åpne internettet'],
]

const escaped = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')
const patternOf = (told: string): RegExp =>
  new RegExp(`^${told.split('{}').map(escaped).join('(.+)')}$`)

/** Texts whose `{}` stand for the same in both; undefined for a text that is none of them. */
export const translated = (texts: readonly (readonly [told: string, text: string])[]) => {
  const patterns = texts.map(([told, text]) => ({ pattern: patternOf(told), text }))
  return (told: string): string | undefined => {
    for (const { pattern, text } of patterns) {
      const found = pattern.exec(told)
      if (found) return filledText(text, ...found.slice(1))
    }
    return undefined
  }
}

const inNorwegian = translated(norwegian)

/** Why a callback was not delivered. What a library or a system has told stays as it is. */
export const problemText = (problem: string, language: Language): string =>
  (language === 'en' ? undefined : inNorwegian(problem)) ?? problem
