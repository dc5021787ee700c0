import type { Translated } from '../../http/negotiation.ts'

const english = {
  authorization_expires: 'An authorisation of {} is about to expire',
  authorization_expiresDo: 'Capture what you have delivered, or renew it, before {}.',
  callback_address_rested: 'Sending to a callback address has stopped',
  callback_address_restedDo:
    'No message was delivered for five days. Fix the receiver, then send a message again ' +
    'under Developers.',
  done: 'Done',
  isDone: 'Marked as done for everybody.',
  new_owner: '{} has become an owner',
  new_ownerDo: 'Owners may do everything. If this is wrong, remove them under Staff at once.',
  none: 'Nothing needs your attention.',
  noneHint:
    'What needs attention appears here and is sent to the owners. Your systems find it in ' +
    'the callback feed as `portal`.',
  payout_returned: 'A payout came back from the bank',
  payout_returnedDo: 'Check the payout account under Money. The amount is then paid out again.',
  toThere: 'Open',
}

const norwegian: Translated<typeof english> = {
  authorization_expires: 'En reservasjon på {} er i ferd med å utløpe',
  authorization_expiresDo: 'Trekk det du har levert, eller forny den, før {}.',
  callback_address_rested: 'Sendingen til en varslingsadresse er stanset',
  callback_address_restedDo:
    'Ingen melding ble levert på fem dager. Rett mottakeren, og send en melding på nytt ' +
    'under Utviklere.',
  done: 'Ferdig',
  isDone: 'Merket som ferdig for alle.',
  new_owner: '{} er blitt eier',
  new_ownerDo: 'Eiere kan gjøre alt. Er dette feil, fjern dem med en gang under Ansatte.',
  none: 'Ingenting krever oppmerksomhet.',
  noneHint:
    'Det som krever oppmerksomhet, vises her og sendes til eierne. Systemene deres finner ' +
    'det i varslingsstrømmen som `portal`.',
  payout_returned: 'En utbetaling kom i retur fra banken',
  payout_returnedDo: 'Kontroller kontoen under Penger. Beløpet blir så betalt ut på nytt.',
  toThere: 'Åpne',
}

export const messagesTexts = { en: english, nb: norwegian }
