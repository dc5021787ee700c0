import type { Language } from '../payer/texts.ts'

const english = {
  authorization_expires: 'An authorisation of {} is about to end',
  authorization_expiresDo: 'Capture what you have delivered, or renew it, before {}.',
  callback_address_rested: 'A callback address was given up',
  callback_address_restedDo:
    'Nothing was taken for five days. Mend the receiver, then retry a message under Developers.',
  done: 'Done',
  isDone: 'Noted. It is no longer on anybody’s list.',
  new_owner: '{} has become an owner',
  new_ownerDo: 'Owners may do everything. If this is wrong, remove them under Staff at once.',
  none: 'Nothing needs you now.',
  noneHint:
    'What needs somebody appears here, in the callback feed as `portal`, and is sent to owners.',
  payout_returned: 'A payout came back from the bank',
  payout_returnedDo: 'Look at the payout account under Money. The sum is paid again afterwards.',
  somebody: 'Somebody',
  toThere: 'Go there',
}

export type MessagesTexts = Readonly<Record<keyof typeof english, string>>

const norwegian: MessagesTexts = {
  authorization_expires: 'En reservasjon på {} er i ferd med å utløpe',
  authorization_expiresDo: 'Trekk det du har levert, eller forny den, før {}.',
  callback_address_rested: 'En varslingsadresse ble gitt opp',
  callback_address_restedDo:
    'Ingenting ble tatt imot på fem dager. Rett mottakeren, og prøv på nytt under Utviklere.',
  done: 'Ferdig',
  isDone: 'Notert. Det står ikke lenger på noens liste.',
  new_owner: '{} er blitt eier',
  new_ownerDo: 'Eiere kan gjøre alt. Er dette feil, fjern dem med en gang under Ansatte.',
  none: 'Ingenting trenger deg nå.',
  noneHint:
    'Det som trenger noen, dukker opp her, i varslingsstrømmen som `portal`, og sendes til eiere.',
  payout_returned: 'En utbetaling kom i retur fra banken',
  payout_returnedDo: 'Se på kontoen under Penger. Summen betales på nytt etterpå.',
  somebody: 'Noen',
  toThere: 'Gå dit',
}

export const messagesTexts: Readonly<Record<Language, MessagesTexts>> = {
  en: english,
  nb: norwegian,
}
