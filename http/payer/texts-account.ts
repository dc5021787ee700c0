/** How accounts are made, opened, changed and closed; a part of `texts.ts`. */
export const accountTextsInEnglish = {
  codesKept: 'I have kept them',
  codesTitle: 'Keep your recovery codes',
  codesWhat:
    'Each opens your account once, instead of the code of your authenticator or of a message. ' +
    'Print them or write them down, and keep them where nobody else looks. ' +
    'They are shown only now.',
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
  cannotSignIn: 'Cannot sign in? Get back into your account',
  changeAuthenticator: 'Connect another authenticator',
  changeNumber: 'Change your phone number',
  changePin: 'Change your PIN',
  changed: 'It is changed. Other devices are signed out where that matters.',
  close: 'Close your account',
  closeWhat:
    'This erases your details, your permissions and your way in, for good. Payments ' +
    'that you have made stay in the books of the shops, without your name.',
  closed: 'Your account is closed, and what was known of you is erased.',
  codeOrRecovery: 'Code of your authenticator',
  codeOrRecoveryHint: 'Six digits, or one of your recovery codes.',
  compareHint: 'Two digits, shown beside the code that you scanned.',
  compareNumber: 'Number on the other screen',
  compareShown: 'Your phone will ask for this number:',
  everywhere: 'Sign out everywhere else',
  everywhereDone: 'All other devices are signed out.',
  fromDevice: 'Device: {}.',
  fromElsewhere: 'It comes from another network than yours: {}.',
  fromHere: 'It comes from the network that you are on: {}.',
  messageChange: '{} is your code to use this number at {}. If you did not ask, do nothing.',
  messageNoAccount: 'Somebody wants to get into an account at {}. This number has none.',
  messageRecovery: '{} is your code to get back into your account at {}. Give it to nobody.',
  newCode: 'Code of the new authenticator',
  newCodes: 'Make new recovery codes',
  newCodesWhat: 'The codes that you have now open nothing any more.',
  newNumber: 'New phone number',
  newPin: 'New PIN',
  oldPin: 'Your PIN',
  recover: 'Get back into your account',
  recoverDone: 'You are back. Sign in with what you have just set.',
  recoverProofs: 'Give two of these, one of the first two.',
  recoverRenew: 'Set what you could not give',
  recoverWhat:
    'We send a code to your number. With it, or with a recovery code, and one thing ' +
    'more you set the rest anew.',
  recoverWrong: 'That is not enough, or something is wrong. Nothing was changed.',
  recoveryCode: 'Recovery code',
  security: 'Security',
  stepUp: 'Payments above {} need a code of your authenticator.',
  useRecoveryCode: 'No authenticator at hand? Use a recovery code',
  stepUpNeeded: 'So high a payment needs a code of your authenticator.',
  usedAt: 'used {}',
  wrongCompare:
    'That is not the number on the screen where this began. If you see no such ' +
    'screen, decline.',
  wrongFactors: 'The PIN or the code is wrong.',
  wrongNumberCode: 'That is not the code of the newest message, or it is too old.',
}

export type AccountTexts = Readonly<Record<keyof typeof accountTextsInEnglish, string>>

export const accountTextsInNorwegian: AccountTexts = {
  codesKept: 'Jeg har tatt vare på dem',
  codesTitle: 'Ta vare på gjenopprettingskodene',
  codesWhat:
    'Hver av dem åpner kontoen din én gang, i stedet for koden fra autentiseringsappen eller fra ' +
    'en melding. Skriv dem ut eller ned, og legg dem der ingen andre leter. ' +
    'De vises bare nå.',
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
  cannotSignIn: 'Får du ikke logget inn? Kom inn i kontoen igjen',
  changeAuthenticator: 'Koble til en annen autentiseringsapp',
  changeNumber: 'Bytt telefonnummer',
  changePin: 'Bytt PIN',
  changed: 'Det er endret. Andre enheter er logget ut der det trengs.',
  close: 'Avslutt kontoen',
  closeWhat:
    'Dette sletter opplysningene, tillatelsene og innloggingen din for godt. ' +
    'Betalinger du har gjort, blir stående i butikkenes bøker, uten navnet ditt.',
  closed: 'Kontoen er avsluttet, og det som var kjent om deg, er slettet.',
  codeOrRecovery: 'Kode fra autentiseringsappen',
  codeOrRecoveryHint: 'Seks sifre, eller en av gjenopprettingskodene dine.',
  compareHint: 'To sifre, vist ved siden av koden du skannet.',
  compareNumber: 'Tallet på den andre skjermen',
  compareShown: 'Telefonen din spør etter dette tallet:',
  everywhere: 'Logg ut alle andre steder',
  everywhereDone: 'Alle andre enheter er logget ut.',
  fromDevice: 'Enhet: {}.',
  fromElsewhere: 'Den kommer fra et annet nettverk enn ditt: {}.',
  fromHere: 'Den kommer fra nettverket du er på: {}.',
  messageChange:
    '{} er koden din for å bruke dette nummeret hos {}. Har du ikke bedt om den, ' +
    'trenger du ikke gjøre noe.',
  messageNoAccount: 'Noen vil inn i en konto hos {}. Dette nummeret har ingen.',
  messageRecovery: '{} er koden din for å komme inn i kontoen din hos {}. Gi den til ingen.',
  newCode: 'Kode fra den nye autentiseringsappen',
  newCodes: 'Lag nye gjenopprettingskoder',
  newCodesWhat: 'Kodene du har nå, åpner ikke noe lenger.',
  newNumber: 'Nytt telefonnummer',
  newPin: 'Ny PIN',
  oldPin: 'PIN-koden din',
  recover: 'Kom inn i kontoen igjen',
  recoverDone: 'Du er tilbake. Logg inn med det du nettopp har valgt.',
  recoverProofs: 'Oppgi to av disse, den ene av de to første.',
  recoverRenew: 'Velg på nytt det du ikke kunne oppgi',
  recoverWhat:
    'Vi sender en kode til nummeret ditt. Med den, eller med en gjenopprettingskode, ' +
    'og én ting til velger du resten på nytt.',
  recoverWrong: 'Det er ikke nok, eller noe er feil. Ingenting er endret.',
  recoveryCode: 'Gjenopprettingskode',
  security: 'Sikkerhet',
  stepUp: 'Betalinger over {} krever en kode fra autentiseringsappen.',
  useRecoveryCode: 'Ingen autentiseringsapp for hånden? Bruk en gjenopprettingskode',
  stepUpNeeded: 'En så høy betaling krever en kode fra autentiseringsappen.',
  usedAt: 'brukt {}',
  wrongCompare:
    'Det er ikke tallet på skjermen der dette begynte. Ser du ingen slik skjerm, så ' + 'avslå.',
  wrongFactors: 'PIN-koden eller koden er feil.',
  wrongNumberCode: 'Det er ikke koden fra den nyeste meldingen, eller den er for gammel.',
}
