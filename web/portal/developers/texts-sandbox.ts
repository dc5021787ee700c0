import type { Translated } from '../../../http/negotiation.ts'

/** About the sandbox; a part of `texts.ts`. */
export const sandboxTextsInEnglish = {
  accept: 'Accept',
  advance_3600: '1 hour forward',
  advance_86400: '1 day forward',
  advance_604800: '1 week forward',
  advance_2592000: '30 days forward',
  advanceWhat:
    'Everything that becomes due is done at once: payments expire, reports close, payouts ' +
    'are made.',
  advanceShared:
    'All merchants share this clock. You may be signed out, because sessions expire too.',
  clock: 'Clock',
  decline: 'Decline',
  isAccepted: 'The payer has accepted.',
  isAdvanced: 'The clock was moved, and what became due is done.',
  isDeclined: 'The payer has declined.',
  isSettled: 'Settled. If nothing was owed to you, there is no payout.',
  noWaiting: 'No payments are waiting. Request one through the API, and it appears here.',
  nowIs: 'It is now',
  oneTimeCode: 'One-time code now',
  payer: 'Payer',
  payers: 'Test payers',
  payersWhat: 'The one-time codes on their phones. Their PINs are in the sandbox guide.',
  sandboxGuide: 'Sandbox guide',
  settleNow: 'Settle now',
  settleWhat: 'Settles all that is owed to you now, without waiting for the settlement day.',
  simulator: 'Answer as the payer',
  simulatorWhat: 'Payments that are waiting for the payer, newest first.',
}

export const sandboxTextsInNorwegian: Translated<typeof sandboxTextsInEnglish> = {
  accept: 'Godta',
  advance_3600: '1 time fram',
  advance_86400: '1 døgn fram',
  advance_604800: '1 uke fram',
  advance_2592000: '30 dager fram',
  advanceWhat:
    'Alt som forfaller, blir gjort med en gang: betalinger utløper, rapporter lukkes, ' +
    'utbetalinger lages.',
  advanceShared: 'Alle butikker deler klokken. Du kan bli logget ut, fordi økter også utløper.',
  clock: 'Klokke',
  decline: 'Avslå',
  isAccepted: 'Betaleren har godtatt.',
  isAdvanced: 'Klokken er stilt, og det som forfalt, er gjort.',
  isDeclined: 'Betaleren har avslått.',
  isSettled: 'Gjort opp. Hvis dere ikke hadde noe til gode, blir det ingen utbetaling.',
  noWaiting: 'Ingen betalinger venter. Be om en gjennom API-et, så vises den her.',
  nowIs: 'Klokken er nå',
  oneTimeCode: 'Engangskode nå',
  payer: 'Betaler',
  payers: 'Testbetalere',
  payersWhat: 'Engangskodene på telefonene deres. PIN-kodene står i veiledningen til sandkassen.',
  sandboxGuide: 'Veiledningen til sandkassen',
  settleNow: 'Gjør opp nå',
  settleWhat: 'Gjør opp alt dere har til gode nå, uten å vente på oppgjørsdagen.',
  simulator: 'Svar som betaleren',
  simulatorWhat: 'Betalinger som venter på betaleren, nyeste først.',
}
