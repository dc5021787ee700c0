import { expect, test } from 'vitest'
import { refusalText } from '../../web/portal/developers/refusal-texts.ts'
import { problemText } from '../../web/portal/problem-texts.ts'
import { textOfRefusal } from '../../http/refusal-answers.ts'
import { textsIn } from '../../texts/catalogue.ts'

const english = /\b(?:the|is|are|with|must|no|not|by|from|has|been|than|there|this)\b/i

test('each refusal has a Norwegian text, and each text belongs to a refusal', () => {
  for (const [code, text] of Object.entries(textsIn.nb.refusals)) {
    expect(textOfRefusal(code), code).toBeDefined()
    expect(text, code).not.toMatch(english)
    expect(refusalText(code, 'nb')).toBe(text)
    expect(Object.keys(textsIn.nb.payer)).not.toContain(`refused_${code}`)
  }
})

test.each([
  ['The header X-Service-Timestamp is missing.', 'Feltet X-Service-Timestamp mangler.'],
  ['Unknown user pos1, or wrong secret.', 'Ukjent bruker pos1 eller feil hemmelighet.'],
  [
    'X-Service-Content-Digest does not match the body: digest mismatch.',
    'X-Service-Content-Digest stemmer ikke med innholdet.',
  ],
  ['wrong fields: amount, currency', 'feil i feltene: amount, currency'],
])('%s keeps its names', (told, text) => {
  expect(refusalText(told, 'nb')).toBe(text)
})

test('what no text is known for stays as it is', () => {
  expect(refusalText('socket hang up', 'nb')).toBeUndefined()
  expect(refusalText('constructor', 'nb')).toBeUndefined()
  expect(problemText('socket hang up', 'nb')).toBe('socket hang up')
})
