import type { Translated } from '../../http/negotiation.ts'

/** How accounts are made, opened, changed and closed; a part of `texts.ts`. */
export const accountTextsInEnglish = {
  codesKept: 'I have kept them',
  codesTitle: 'Keep your recovery codes',
  codesWhat:
    'Each code works once, in place of the code from your authenticator or from a message. ' +
    'Print them or write them down, and keep them where nobody else looks. ' +
    'You cannot see them again.',
  copyCodes: 'Copy codes',
  messageSignUp: '{} is your code for a new account at {}. If you did not ask, do nothing.',
  messageSignUpTaken:
    '{} is your code for a new account at {}. This number has an account already: sign in, or ' +
    'get back in at {}. Whoever types the code takes the number from that account. ' +
    'If you did not ask, do nothing and give the code to nobody.',
  newMessage: 'Send a new code',
  numberCode: 'Code from the message',
  numberCodeHint: 'Six digits. It may take a minute to come.',
  numberTitle: 'Confirm your number',
  numberWhat: 'We have sent a message with a code to {}.',
  refused_messages_cannot_be_sent:
    'No messages can be sent just now, so no number can be confirmed. Please try again later.',
  cannotSignIn: 'Cannot sign in? Get back in',
  changeAuthenticator: 'Connect another authenticator',
  changeNumber: 'Change your phone number',
  changePin: 'Change your PIN',
  changed: 'Saved. A new PIN or authenticator signs out all other devices.',
  close: 'Close your account',
  closeWhat:
    'This erases your details, your permissions and your way to sign in, for good. Payments ' +
    'that you have made stay in the books of the shops, without your name.',
  closed: 'Your account is closed, and your details are erased.',
  codeOrRecovery: 'Code from your authenticator',
  codeOrRecoveryHint: 'Six digits, or one of your recovery codes.',
  compareHint: 'Two digits, shown below the code that you scanned.',
  compareNumber: 'Number on the other screen',
  compareShown: 'Your phone will ask for this number:',
  everywhere: 'Sign out everywhere else',
  everywhereDone: 'All other devices are signed out.',
  fromDevice: 'Device: {}.',
  fromElsewhere: 'The other screen is on another network than this phone: {}.',
  fromHere: 'The other screen is on the same network as this phone: {}.',
  messageChange: '{} is your code to use this number at {}. If you did not ask, do nothing.',
  messageNoAccount: 'Somebody wants to get into an account at {}. This number has none.',
  messageRecovery: '{} is your code to get back into your account at {}. Give it to nobody.',
  newCode: 'Code from the new authenticator',
  newCodes: 'Make new recovery codes',
  newCodesWhat: 'You get ten new codes. Those that you have now stop working.',
  newNumber: 'New phone number',
  newNumberWhat: 'We have sent a message with a code to the new number.',
  newPin: 'New PIN',
  oldPin: 'Your PIN',
  recover: 'Get back into your account',
  recoverDone: 'You can sign in again, with what you have just chosen.',
  recoverProofs:
    'Fill in two of these: the code from the message or a recovery code, and one more. ' +
    'Leave the others empty.',
  recoverRenew: 'Now replace what you left empty.',
  recoverWhat:
    'We send a code to your phone. With that code or a recovery code, and one proof more, ' +
    'you can replace what you have lost.',
  recoverWrong: 'Something is missing or wrong. Nothing is changed. Please try again.',
  recoveryCode: 'Recovery code',
  security: 'Security',
  stepUp:
    'Payments above {} need a code from your authenticator, also when several within 24 hours ' +
    'come to more.',
  useRecoveryCode: 'Use a recovery code instead',
  stepUpNeeded: 'Type the code from your authenticator to go on.',
  toPortal: 'Do you work for a shop? Go to its portal',
  usedAt: 'Last used {}',
  wrongCompare:
    'That is not the number on the screen where this began. If you see no such ' +
    'screen, press Deny.',
  wrongFactors: 'The PIN or the code is wrong.',
  wrongNumberCode: 'That is not the code of the newest message, or it is too old.',
}

export const accountTextsInNorwegian: Translated<typeof accountTextsInEnglish> = {
  codesKept: 'Jeg har tatt vare på dem',
  codesTitle: 'Ta vare på gjenopprettingskodene',
  codesWhat:
    'Hver kode virker én gang, i stedet for koden fra autentiseringsappen eller fra en melding. ' +
    'Skriv dem ut eller ned, og legg dem der ingen andre leter. ' +
    'Du kan ikke se dem igjen.',
  copyCodes: 'Kopier kodene',
  messageSignUp:
    '{} er koden din for en ny konto hos {}. Har du ikke bedt om den, trenger du ikke gjøre noe.',
  messageSignUpTaken:
    '{} er koden din for en ny konto hos {}. Nummeret har allerede en konto: logg inn, eller ' +
    'kom inn igjen på {}. Den som skriver koden, tar nummeret fra den kontoen. ' +
    'Har du ikke bedt om den, gjør ingenting, og gi koden til ingen.',
  newMessage: 'Send en ny kode',
  numberCode: 'Kode fra meldingen',
  numberCodeHint: 'Seks sifre. Det kan ta et minutt før den kommer.',
  numberTitle: 'Bekreft nummeret ditt',
  numberWhat: 'Vi har sendt en melding med en kode til {}.',
  refused_messages_cannot_be_sent:
    'Ingen meldinger kan sendes akkurat nå, så ingen numre kan bekreftes. Prøv igjen senere.',
  cannotSignIn: 'Kommer du ikke inn? Kom inn igjen',
  changeAuthenticator: 'Koble til en annen autentiseringsapp',
  changeNumber: 'Bytt telefonnummer',
  changePin: 'Bytt PIN',
  changed: 'Lagret. En ny PIN eller autentiseringsapp logger ut alle andre enheter.',
  close: 'Avslutt kontoen',
  closeWhat:
    'Dette sletter opplysningene, tillatelsene og innloggingen din for godt. ' +
    'Betalinger du har gjort, blir stående i butikkenes bøker, uten navnet ditt.',
  closed: 'Kontoen er avsluttet, og opplysningene dine er slettet.',
  codeOrRecovery: 'Kode fra autentiseringsappen',
  codeOrRecoveryHint: 'Seks sifre, eller en av gjenopprettingskodene dine.',
  compareHint: 'To sifre, vist under koden du skannet.',
  compareNumber: 'Tallet på den andre skjermen',
  compareShown: 'Telefonen din spør etter dette tallet:',
  everywhere: 'Logg ut alle andre steder',
  everywhereDone: 'Alle andre enheter er logget ut.',
  fromDevice: 'Enhet: {}.',
  fromElsewhere: 'Den andre skjermen er på et annet nettverk enn denne telefonen: {}.',
  fromHere: 'Den andre skjermen er på samme nettverk som denne telefonen: {}.',
  messageChange:
    '{} er koden din for å bruke dette nummeret hos {}. Har du ikke bedt om den, ' +
    'trenger du ikke gjøre noe.',
  messageNoAccount: 'Noen vil inn i en konto hos {}. Dette nummeret har ingen.',
  messageRecovery: '{} er koden din for å komme inn i kontoen din hos {}. Gi den til ingen.',
  newCode: 'Kode fra den nye autentiseringsappen',
  newCodes: 'Lag nye gjenopprettingskoder',
  newCodesWhat: 'Du får ti nye koder. De du har nå, slutter å virke.',
  newNumber: 'Nytt telefonnummer',
  newNumberWhat: 'Vi har sendt en melding med en kode til det nye nummeret.',
  newPin: 'Ny PIN',
  oldPin: 'PIN-koden din',
  recover: 'Kom inn i kontoen igjen',
  recoverDone: 'Du kan logge inn igjen, med det du nettopp har valgt.',
  recoverProofs:
    'Fyll ut to av feltene: koden fra meldingen eller en gjenopprettingskode, og ett til. ' +
    'La de andre stå tomme.',
  recoverRenew: 'Erstatt nå det du lot stå tomt.',
  recoverWhat:
    'Vi sender en kode til telefonen din. Med den eller en gjenopprettingskode, og ett bevis ' +
    'til, kan du erstatte det du har mistet.',
  recoverWrong: 'Noe mangler eller er feil. Ingenting er endret. Prøv igjen.',
  recoveryCode: 'Gjenopprettingskode',
  security: 'Sikkerhet',
  stepUp:
    'Betalinger over {} krever en kode fra autentiseringsappen, også når flere innen 24 timer ' +
    'til sammen blir mer.',
  useRecoveryCode: 'Bruk gjenopprettingskode',
  stepUpNeeded: 'Skriv koden fra autentiseringsappen for å gå videre.',
  toPortal: 'Jobber du i en butikk? Gå til portalen dens',
  usedAt: 'Sist brukt {}',
  wrongCompare:
    'Det er ikke tallet på skjermen der dette begynte. Ser du ingen slik skjerm, trykk på Avslå.',
  wrongFactors: 'PIN-koden eller koden er feil.',
  wrongNumberCode: 'Det er ikke koden fra den nyeste meldingen, eller den er for gammel.',
}
