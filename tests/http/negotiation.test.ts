import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { accepts, likedLanguages, preferred } from '../../http/negotiation.ts'
import { languageOf } from '../../web/ui/texts.ts'

const csv = 'application/vnd.service.api.merchant.v1+csv'
const types = [csv, 'text/csv'] as const

test.each([
  [undefined, csv],
  ['', csv],
  [' ', csv],
  [', ;q=1', csv],
  ['*/*', csv],
  ['text/csv', 'text/csv'],
  ['text/*', 'text/csv'],
  ['TEXT/CSV', 'text/csv'],
  ['text/csv;q=0, */*', csv],
  ['text/csv;q=0.2, */*;q=0.1', 'text/csv'],
  [`text/csv, ${csv}`, csv],
  [`${csv};q=0.5, text/csv`, 'text/csv'],
  [`${csv};q=0.5, text/csv;q=0.5`, csv],
  [`*/*, text/*;q=0.9, ${csv};q=0.8`, 'text/csv'],
  ['text/csv; header="a, b"; q=0.9, */*;q=0.8', 'text/csv'],
])('given the Accept header %j, the log of a report is answered as %s', (header, type) => {
  expect(preferred(header, types)).toBe(type)
  expect(accepts(header, types)).toBe(true)
})

test.each(['text/csv;q=0', 'image/png', '*/*;q=0', 'text/csv;q=0, text/*', 'csv'])(
  'given the Accept header %j, no log can be answered',
  (header) => expect(accepts(header, types)).toBe(false),
)

describe('the language of a page', () => {
  test.each([
    [undefined, 'en', 'en'],
    ['nb', 'nb', 'nb-NO'],
    ['sv', 'sv', 'sv-SE'],
    ['da-DK, sv;q=0.5', 'da', 'da-DK'],
    ['sv-FI, en;q=0.5', 'sv', 'sv-SE'],
    ['en;q=0.1, nb', 'nb', 'nb-NO'],
    ['en;q=0.1, nn-NO;q=0.2', 'nb', 'nb-NO'],
    ['de, en-GB;q=0.8, no;q=0.7', 'en', 'en-GB'],
    ['nb;q=0, en-US', 'en', 'en-US'],
    ['en-Latn-AU-u-ca-buddhist-nu-thai', 'en', 'en-Latn-AU'],
    ['english', 'en', 'en'],
    ['nb;q=0', 'en', 'en'],
    ['de', 'en', 'en'],
  ])('given %j is %s, written as in %s', (header, language, locale) => {
    expect(languageOf(header)).toEqual({ language, locale })
  })
})

test('given any header, however malformed, all choices are made', () => {
  const part = fc.constantFrom('text/csv', '*/*', 'en', ';', ',', 'q=', '0.', '1', '"', '\\', '=')
  const header = fc.oneof(
    fc.string(),
    fc.array(part).map((parts) => parts.join('')),
  )
  fc.assert(
    fc.property(header, (text) => {
      expect(types).toContain(preferred(text, types))
      expect(typeof accepts(text, types)).toBe('boolean')
      expect(['en', 'da', 'nb', 'sv']).toContain(languageOf(text).language)
      expect(likedLanguages(text)).not.toContain('')
    }),
  )
})
