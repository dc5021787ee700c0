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
  wrongNumberCode: 'Det er ikke koden fra den nyeste meldingen, eller den er for gammel.',
}
