import type { RefusalCode } from '../../../domain/refusal.ts'
import type { Texts } from '../../ui/texts.ts'
import { translated } from '../texts-problems.ts'

type OfPages<Name> = Name extends `refused_${infer Code}` ? Code : never

/** Why the domain refuses something, in Norwegian; what pages say too stands in their texts. */
export const norwegianRefusals: Readonly<
  Record<Exclude<RefusalCode, OfPages<keyof Texts>>, string>
> = {
  account_change_is_waiting:
    'En annen endring av oppgjørskontoen venter allerede. Trekk den tilbake først.',
  additional_amount_is_not_editable: 'Betaleren kan ikke endre tilleggsbeløpet her.',
  amount_has_too_many_decimals: 'Beløpet har flere desimaler enn valutaen.',
  amount_has_too_many_digits: 'Beløpet kan ha høyst 12 sifre foran punktumet.',
  amount_is_malformed: 'Dette er ikke et beløp.',
  amount_is_too_large: 'Beløpet er for stort.',
  as_of_is_beyond_the_log: 'Loggen har ingen slik posisjon ennå.',
  as_of_is_in_the_future: 'Tidspunktet er senere enn nå.',
  attachments_are_too_many: 'Betalingen kan ikke ha så mange vedlegg.',
  callback_has_no_address:
    'Ressursen har ingen adresse: sett en callback_uri, eller les meldingen i strømmen.',
  capture_exceeds_additional_amount: 'Mer enn det som er igjen av reservert tilleggsbeløp.',
  capture_exceeds_authorization: 'Mer enn det som er igjen av reservert beløp.',
  capture_id_is_missing: 'Et deltrekk må ha capture_id: bare et trekk av alt klarer seg uten.',
  capture_id_used_with_other_amounts: 'Denne capture_id er brukt med andre beløp.',
  capture_is_nothing: 'Må være større enn 0.',
  captures_are_too_many:
    'Betalingen har så mange trekk som den kan ha: frigi resten, eller be om en ny betaling.',
  change_is_older: 'Ressursen har en senere endring. Signer denne på nytt for å gjøre den også.',
  clock_is_beyond_its_end: 'Klokken slutter med året 9998.',
  clock_moves_forward_only: 'Klokken går bare framover.',
  code_is_invalid: 'Koden er ukjent, utløpt eller gjelder en annen klient.',
  code_is_used: 'Koden er brukt; det den ga, er trukket tilbake.',
  credit_is_not_allowed: 'Forespørselen tillater ikke kreditt.',
  currency_differs_from_payment: 'Må være betalingens valuta.',
  default_ledger_cannot_be_disabled:
    'Standardhovedboken blir: forespørsler uten hovedbok føres i den.',
  entry_is_matched: 'Bankposten hører til en utbetaling.',
  fees_are_malformed: 'En sats er fra 0 til 1, en fast del minst 0.',
  grant_is_expired: 'Tillatelsen er utløpt.',
  grant_is_revoked: 'Tillatelsen er trukket tilbake.',
  id_used_with_other_data: 'Det finnes en ressurs med denne id-en og andre data.',
  last_superuser_is_needed: 'Dette er den siste superbrukeren med nøkkel: lag en annen først.',
  ledger_is_unknown: 'Hovedboken finnes ikke, eller den er deaktivert.',
  line_items_do_not_add_up: 'Summen av varelinjene må være beløpet.',
  merchant_is_unknown: 'Butikken finnes ikke.',
  moment_is_being_made: 'Det som var kjent da, settes sammen. Spør igjen etter Retry-After.',
  moments_are_too_many: 'Du spør etter for mange tidligere tidspunkter. Vent til Retry-After.',
  no_checkpoint_covers_it:
    'Ingen signert kontrollsum dekker den ennå. En signeres innen ti sekunder: spør igjen.',
  nothing_is_captured: 'Ingenting er trukket som kan refunderes.',
  nothing_is_left_to_capture: 'Ingenting er igjen å trekke: alt er trukket eller frigitt.',
  payer_is_unknown: 'Betaleren finnes ikke.',
  owner_change_is_waiting: 'En annen endring av en eier venter allerede. Trekk den tilbake først.',
  owner_change_must_wait:
    'En eier fjernes eller nedgraderes først etter at de andre eierne fikk beskjed.',
  payment_is_amended_too_much: 'Alle endringer av betalingen er til sammen for store.',
  payment_is_answered: 'Betaleren har svart: line_items og links kan ikke lenger endres.',
  payment_is_not_authorized: 'Betalingen er ikke reservert, eller ikke lenger.',
  payment_is_not_picked_up: 'Ingen betaler har skannet koden til forespørselen ennå.',
  payment_is_not_releasable: 'Ingenting er igjen som kan frigis.',
  payment_is_picked_up: 'En betaler har hentet forespørselen allerede.',
  payout_is_not_paid: 'Ingen kontoutskrift har utbetalingen så langt.',
  payout_is_paid: 'En kontoutskrift har utbetalingen allerede.',
  permission_is_for_another_payer: 'Forespørselen om tillatelse er til en annen betaler.',
  pos_is_unknown: 'Utsalgsstedet finnes ikke.',
  pos_tid_used_with_other_data:
    'Denne pos_tid er brukt til en annen forespørsel fra utsalgsstedet.',
  refund_exceeds_additional_amount:
    'Mer enn det som er trukket av tilleggsbeløpet og ikke refundert.',
  refund_exceeds_captures: 'Mer enn det som er trukket av beløpet og ikke refundert.',
  refund_id_is_missing: 'En delrefusjon må ha refund_id: bare refusjon av alt klarer seg uten.',
  refund_id_used_with_other_amounts: 'Denne refund_id er brukt med andre beløp.',
  refund_is_nothing: 'Ingenting er igjen å refundere, eller beløpet er 0.',
  refunds_are_too_many: 'Betalingen har så mange refusjoner som den kan ha.',
  resource_is_unknown: 'Det finnes ingen slik ressurs.',
  scope_is_too_wide: 'Mer enn det som ble bedt om eller gitt.',
  second_factor_is_needed: 'Så høyt et beløp krever en engangskode igjen.',
  secrets_are_wrong_too_often:
    'For mange feil hemmeligheter for dette navnet eller fra denne adressen. Vent til Retry-After.',
  serial_number_is_claimed: 'Dette serienummeret er tatt i bruk allerede.',
  serial_number_is_unknown: 'Det finnes ikke noe klistremerke med dette serienummeret.',
  sign_in_is_locked: 'For mange forsøk på å logge inn. Vent før det neste.',
  sign_in_is_wrong: 'Telefonnummeret, PIN-koden eller engangskoden er feil.',
  token_is_bound_to_another_key: 'Tokenet er bundet til en annen nøkkel: bevis den.',
  user_has_no_credentials: 'En bruker trenger en hemmelighet, en nøkkel eller begge.',
  user_may_not_refund: 'Brukeren kan ikke refundere: en eier kan tillate det i portalen.',
}

/** What a request is told that is refused before anything is decided. */
const norwegianOf = translated([
  ['The header {} is missing.', 'Feltet {} mangler.'],
  ['Unknown user, or bad signature.', 'Ukjent bruker eller feil signatur.'],
  ['Unknown integrator, or bad signature.', 'Ukjent integrator eller feil signatur.'],
  ['Unknown user {}, or wrong secret.', 'Ukjent bruker {} eller feil hemmelighet.'],
  [
    'Authorization must be SECRET <secret> or RSA-SHA256 <signature>.',
    'Authorization må være SECRET <secret> eller RSA-SHA256 <signature>.',
  ],
  [
    'Level too low: this request must be signed with a key.',
    'For lavt nivå: forespørselen må signeres med en nøkkel.',
  ],
  [
    'Level too low: an integrator must sign with its key.',
    'For lavt nivå: en integrator må signere med nøkkelen sin.',
  ],
  ['Send either {} or {}.', 'Send enten {} eller {}.'],
  ['{} must be a UTC time as YYYY-MM-DD hh:mm:ss.', '{} må være en UTC-tid: ÅÅÅÅ-MM-DD tt:mm:ss.'],
  ['{} is stale: too far from the real time.', '{} er for langt fra den virkelige tiden.'],
  ['{} does not match the body: digest mismatch.', '{} stemmer ikke med innholdet.'],
  [
    'This user is disabled: ask the operator of the service.',
    'Brukeren er deaktivert: spør operatøren av tjenesten.',
  ],
  [
    'This integrator is disabled: ask the operator of the service.',
    'Integratoren er deaktivert: spør operatøren av tjenesten.',
  ],
  [
    'This merchant is disabled: ask the operator of the service.',
    'Butikken er deaktivert: spør operatøren av tjenesten.',
  ],
  [
    'Requests of this user may not come from this address.',
    'Forespørsler fra denne brukeren kan ikke komme fra denne adressen.',
  ],
  [
    'Requests for this merchant may not come from this address.',
    'Forespørsler for denne butikken kan ikke komme fra denne adressen.',
  ],
  ['The integrator does not serve this merchant.', 'Integratoren betjener ikke denne butikken.'],
  [
    'Only a superuser or an integrator manages users.',
    'Bare en superbruker eller integrator styrer brukere.',
  ],
  [
    'This user asks too much: {} requests a second are allowed.',
    'Brukeren spør for mye: {} forespørsler i sekundet er tillatt.',
  ],
  [
    'This merchant asks too much: {} requests a second are allowed.',
    'Butikken spør for mye: {} forespørsler i sekundet er tillatt.',
  ],
  [
    'You read {} such answers already: read one to its end first.',
    'Du leser allerede {} slike svar: les ett til slutt først.',
  ],
  ['wrong fields: {}', 'feil i feltene: {}'],
  ['The body is no valid JSON.', 'Innholdet er ikke gyldig JSON.'],
  ['The body is JSON nested deeper than {} levels.', 'Innholdet er JSON med flere enn {} nivåer.'],
  ['The body is JSON of more than {} values.', 'Innholdet er JSON med flere enn {} verdier.'],
  ['The body must be a JSON object.', 'Innholdet må være et JSON-objekt.'],
  ['The body must be {} or {}.', 'Innholdet må være {} eller {}.'],
  ['The body must be {}.', 'Innholdet må være {}.'],
  ['The body is larger than {} bytes.', 'Innholdet er større enn {} byte.'],
  [
    'The body is no valid multipart/form-data: {}.',
    'Innholdet er ikke gyldig multipart/form-data: {}.',
  ],
  ['The body broke off.', 'Innholdet ble brutt av.'],
  ['This resource is answered as {}.', 'Ressursen svarer bare med {}.'],
  ['There is nothing at this URL.', 'Det er ingenting på denne adressen.'],
  ['Allowed here: {}.', 'Tillatt her: {}.'],
  ['Too many are asking at the same time.', 'For mange spør samtidig.'],
])

/** A reason of the log of refusals in Norwegian; undefined where there is no better text. */
export const norwegianRefusal = (rule: string): string | undefined =>
  Object.hasOwn(norwegianRefusals, rule)
    ? norwegianRefusals[rule as keyof typeof norwegianRefusals]
    : norwegianOf(rule)
