import type { OwnerWordsIn } from '../../application/notify-owners.ts'
import type { WhyWithdrawn } from '../../domain/waiting-change.ts'
import { filledText } from '../../application/filled-text.ts'
import type { NoticeKind } from '../../domain/merchant/notice.ts'
import type { Language } from '../ui/texts.ts'

type Said =
  | NoticeKind
  | WhyWithdrawn
  | 'accountAsked'
  | 'accountWithdrawn'
  | 'factorsChanged'
  | 'ownerChangeAsked'
  | 'ownerChangeWithdrawn'

/** What messages to owners say, at which no page is open. */
const english = {
  accountAsked:
    '{}: payouts are to go to another account, ending in {}, from tomorrow on. If you did ' +
    'not expect this, withdraw it in the portal under Money.',
  accountWithdrawn:
    '{}: the change of the payout account to one ending in {} is withdrawn, because {}.',
  asker_is_no_owner: 'the person who asked for it is no longer an owner',
  authorization_expires: 'A large authorisation expires within a day and has not been captured.',
  callback_address_rested: 'Sending to a callback address has stopped: no message was delivered.',
  factorsChanged:
    '{}: {}, an owner, has a new phone number, PIN or authenticator. Ask them whether it was ' +
    'they; if not, remove them at /portal/ under Staff. For a day they can change neither owners ' +
    'nor the payout account.',
  last_owner_is_needed: 'nobody else would be an owner',
  merchant_is_disabled: 'the merchant is disabled',
  new_owner: 'Somebody has become an owner.',
  ownerChangeAsked:
    '{}: an owner is to be removed or to get another role, from tomorrow on. If you did not ' +
    'expect this, withdraw it at /portal/.',
  ownerChangeWithdrawn: '{}: the change of an owner is withdrawn, because {}.',
  payout_returned: 'A payout came back from the bank.',
} satisfies Readonly<Record<Said, string>>

const norwegian: Readonly<Record<keyof typeof english, string>> = {
  accountAsked:
    '{}: utbetalinger skal gå til en annen konto, som slutter på {}, fra i morgen. Er dette ' +
    'uventet, trekk det tilbake i portalen under Penger.',
  accountWithdrawn:
    '{}: endringen av kontoen for utbetaling til en som slutter på {}, er trukket tilbake, fordi ' +
    '{}.',
  asker_is_no_owner: 'den som ba om det, ikke lenger er eier',
  authorization_expires: 'En stor reservasjon utløper innen et døgn og er ikke trukket.',
  callback_address_rested:
    'Sendingen til en varslingsadresse er stanset: ingen melding ble levert.',
  factorsChanged:
    '{}: {}, som er eier, har nytt telefonnummer, ny PIN-kode eller ny autentiseringsapp. ' +
    'Spør om det var dem selv; hvis ikke, fjern dem på /portal/ under Ansatte. I et døgn kan de ' +
    'verken endre eiere eller kontoen for utbetaling.',
  last_owner_is_needed: 'ingen andre ville være eier',
  merchant_is_disabled: 'butikken er stengt',
  new_owner: 'Noen er blitt eier.',
  ownerChangeAsked:
    '{}: en eier skal fjernes eller få en annen rolle fra i morgen. Er dette uventet, trekk det ' +
    'tilbake på /portal/.',
  ownerChangeWithdrawn: '{}: endringen av en eier er trukket tilbake, fordi {}.',
  payout_returned: 'En utbetaling kom i retur fra banken.',
}

const texts: Readonly<Record<Language, typeof norwegian>> = { en: english, nb: norwegian }

const languageIn = (country: string | null): Language => (country === 'NO' ? 'nb' : 'en')

export const ownerWords: OwnerWordsIn = (country) => {
  const own = texts[languageIn(country)]
  return {
    notice: (kind, place) => `${own[kind]} ${place}`,
    accountAsked: (shop, end) => filledText(own.accountAsked, shop, end),
    accountWithdrawn: (shop, end, why) => filledText(own.accountWithdrawn, shop, end, own[why]),
    factorsChanged: (shop, name) => filledText(own.factorsChanged, shop, name),
    ownerChangeAsked: (shop) => filledText(own.ownerChangeAsked, shop),
    ownerChangeWithdrawn: (shop, why) => filledText(own.ownerChangeWithdrawn, shop, own[why]),
  }
}
