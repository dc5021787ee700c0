import type { Translated } from '../../http/negotiation.ts'

/** What pages say when something went wrong; a part of `texts.ts`. */
export const problemTextsInEnglish = {
  again: 'Try again',
  backToPage: 'Back to the page',
  disabledClient: 'The application that sent you here is disabled. Nothing was shared.',
  error: 'That did not work',
  noCountryCode:
    'The country code is missing. Write + and the code before the number: ' +
    '+47 999 99 901 is a number in Norway.',
  onceMore: 'The page was out of date. Please answer once more.',
  problem403:
    'It was open for too long, or came from elsewhere. Nothing was done. Open the page again and ' +
    'repeat what you wanted.',
  problem404:
    'The link may be incomplete, or made for somebody else. Check it, sign in with the account ' +
    'that it is for, or ask the shop for another.',
  problem405: 'This address has no page of its own. Go on from the start page.',
  problem409: 'It has been answered already, or is over.',
  problem429: 'Too many failed attempts. Please wait a while before the next one.',
  problem500: 'Something went wrong here, and it is not your fault. Please try again in a moment.',
  problem503: 'We cannot answer just now. Please try again in a moment; nothing is lost.',
  problemId: 'If you ask for help, name this number:',
  refused_additional_amount_is_not_confirmed:
    'The extra is more than the amount itself. If that is right, pay once more.',
  refused_additional_amount_is_too_high: 'The extra can be at most ten times the amount.',
  refused_authorization_is_answered:
    'This sign-in has been answered already. Start again in the application if you need another.',
  refused_authorization_is_expired:
    'This sign-in took too long. Nothing was shared. Start again in the application.',
  refused_authorization_is_not_allowed: 'It has not been allowed yet.',
  refused_conflicting_changes: 'Something changed at the same time. Please try again.',
  refused_merchant_is_disabled:
    'The shop cannot take payments just now. Nothing was paid or shared.',
  refused_payment_is_for_another_payer:
    'This payment was not yours: somebody else has answered it. You have paid nothing.',
  refused_payer_exists: 'There is an account with this phone number already. Sign in with it.',
  refused_payment_is_expired:
    'The payment request is over: it was not answered in time. Nothing was paid.',
  refused_payment_is_not_pending:
    'The payment request has been answered already, or the shop has cancelled it. Look at it ' +
    'once more to see what became of it.',
  refused_permission_is_expired:
    'The request is over: it was not answered in time. Nothing was shared.',
  refused_permission_is_not_pending:
    'The request has been answered already. Look at it once more to see what was shared.',
  refused_sign_in_is_too_old: 'A new sign-in is asked for. Please start again.',
  refused_too_much_is_waiting: 'Very many are signing in just now. Please try again in a moment.',
  signUpTooLate: 'It took too long, and nothing was stored. Please begin again.',
  title400: 'Something is missing or wrong',
  title403: 'This page is out of date',
  title404: 'There is no such page',
  title409: 'This has changed in the meantime',
  title429: 'Please wait a little',
  title500: 'Something went wrong here',
  title503: 'We cannot answer right now',
  title_merchant_is_disabled: 'The shop is closed here',
  title_payment_is_for_another_payer: 'Somebody else was first',
  tooManyUntil: 'Too many failed attempts. Try again at {}.',
  toStart: 'Go to the start page',
  tryAgainAt: 'Try again at {}.',
  unknownClient:
    'The application that sent you here is not known. Nothing was shared. Go back to where you ' +
    'came from, and tell its makers if it happens again.',
  unknownRedirect:
    'The application asked to send you to an address that it has not registered. Nothing was ' +
    'shared. Go back to where you came from, and tell its makers if it happens again.',
  wrong: 'The phone number or the PIN is wrong.',
  wrongAddress: 'Fill in the whole address, or leave all of it empty.',
  wrongCode: 'The code is wrong. Wait for the next one and try again.',
  wrongAmount: 'Type an amount such as 25 or 12.50.',
  wrongEmail: 'Type an e-mail address such as name@example.com.',
  wrongInput: 'Please check what you typed.',
  wrongName: 'Type your name, on one line.',
  wrongNewPin: 'The PIN must have 4 to 12 digits, not all the same, and no row such as 1234.',
  wrongPhone: 'The phone number is not complete.',
  wrongPinAgain: 'The two PINs differ. Type both again.',
  wrongScan: 'This is not a code of this service. Scan it again, or type all that it says.',
  wrongSeveral: 'Please check the marked fields.',
}

export const problemTextsInNorwegian: Translated<typeof problemTextsInEnglish> = {
  again: 'Prøv igjen',
  backToPage: 'Tilbake til siden',
  disabledClient: 'Applikasjonen som sendte deg hit, er slått av. Ingenting ble delt.',
  error: 'Det gikk ikke',
  noCountryCode:
    'Landkoden mangler. Skriv + og landkoden foran nummeret: ' +
    '+47 999 99 901 er et nummer i Norge.',
  onceMore: 'Siden var ikke lenger oppdatert. Svar en gang til.',
  problem403:
    'Den var åpen for lenge, eller kom fra et annet sted. Ingenting ble gjort. Åpne siden på ' +
    'nytt, og gjenta det du ville.',
  problem404:
    'Lenken kan være ufullstendig, eller den er for noen andre. Sjekk den, logg inn med kontoen ' +
    'den er for, eller be butikken om en ny.',
  problem405: 'Denne adressen har ingen egen side. Gå videre fra startsiden.',
  problem409: 'Den er allerede besvart, eller den er over.',
  problem429: 'For mange mislykkede forsøk. Vent en stund før det neste.',
  problem500: 'Noe gikk galt hos oss, og det er ikke din feil. Prøv igjen om litt.',
  problem503: 'Vi kan ikke svare akkurat nå. Prøv igjen om litt. Ingenting er tapt.',
  problemId: 'Oppgi dette nummeret hvis du ber om hjelp:',
  refused_additional_amount_is_not_confirmed:
    'Det ekstra er mer enn selve beløpet. Betal én gang til hvis det stemmer.',
  refused_additional_amount_is_too_high: 'Det ekstra kan være høyst ti ganger beløpet.',
  refused_authorization_is_answered:
    'Innloggingen er allerede besvart. Begynn på nytt i applikasjonen hvis du trenger en til.',
  refused_authorization_is_expired:
    'Innloggingen tok for lang tid. Ingenting ble delt. Begynn på nytt i applikasjonen.',
  refused_authorization_is_not_allowed: 'Det er ikke tillatt ennå.',
  refused_conflicting_changes: 'Noe ble endret samtidig. Prøv igjen.',
  refused_merchant_is_disabled:
    'Butikken kan ikke ta betalt akkurat nå. Ingenting ble betalt eller delt.',
  refused_payment_is_for_another_payer:
    'Denne betalingen var ikke din: noen andre har svart på den. Du har ikke betalt noe.',
  refused_payer_exists: 'Det finnes allerede en konto med dette telefonnummeret. Logg inn med den.',
  refused_payment_is_expired:
    'Betalingen er over: den ble ikke besvart i tide. Ingenting er betalt.',
  refused_payment_is_not_pending:
    'Betalingen er allerede besvart, eller butikken har avbrutt den. Se på den en gang til for å ' +
    'se hva som skjedde.',
  refused_permission_is_expired:
    'Forespørselen er over: den ble ikke besvart i tide. Ingenting ble delt.',
  refused_permission_is_not_pending:
    'Forespørselen er allerede besvart. Se på den en gang til for å se hva som ble delt.',
  refused_sign_in_is_too_old: 'Det trengs en ny innlogging. Begynn på nytt.',
  refused_too_much_is_waiting: 'Svært mange logger inn akkurat nå. Prøv igjen om et øyeblikk.',
  signUpTooLate: 'Det tok for lang tid, og ingenting ble lagret. Begynn på nytt.',
  title400: 'Noe mangler eller er feil',
  title403: 'Siden er utdatert',
  title404: 'Siden finnes ikke',
  title409: 'Dette har endret seg i mellomtiden',
  title429: 'Vent litt',
  title500: 'Noe gikk galt hos oss',
  title503: 'Vi kan ikke svare akkurat nå',
  title_merchant_is_disabled: 'Butikken er stengt her',
  title_payment_is_for_another_payer: 'Noen andre var først',
  tooManyUntil: 'For mange mislykkede forsøk. Prøv igjen {}.',
  toStart: 'Gå til startsiden',
  tryAgainAt: 'Prøv igjen {}.',
  unknownClient:
    'Applikasjonen som sendte deg hit, er ikke kjent. Ingenting ble delt. Gå tilbake dit du kom ' +
    'fra, og si fra til dem som lager den, hvis det skjer igjen.',
  unknownRedirect:
    'Applikasjonen ba om å sende deg til en adresse den ikke har registrert. Ingenting ble delt. ' +
    'Gå tilbake dit du kom fra, og si fra til dem som lager den, hvis det skjer igjen.',
  wrong: 'Telefonnummeret eller PIN-koden er feil.',
  wrongAddress: 'Fyll ut hele adressen, eller la alt stå tomt.',
  wrongCode: 'Koden er feil. Vent på den neste og prøv igjen.',
  wrongAmount: 'Skriv et beløp som 25 eller 12,50.',
  wrongEmail: 'Skriv en e-postadresse som navn@example.com.',
  wrongInput: 'Se over det du skrev.',
  wrongName: 'Skriv navnet ditt, på én linje.',
  wrongNewPin: 'PIN-koden må ha 4 til 12 sifre, ikke bare like sifre og ingen rekke som 1234.',
  wrongPhone: 'Telefonnummeret er ikke helt.',
  wrongPinAgain: 'De to PIN-kodene er ulike. Skriv begge på nytt.',
  wrongScan:
    'Dette er ikke en kode fra denne tjenesten. Skann den på nytt, eller skriv alt den sier.',
  wrongSeveral: 'Se over de merkede feltene.',
}
