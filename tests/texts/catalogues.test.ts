import { IntlMessageFormat } from 'intl-messageformat'
import { describe, expect, test } from 'vitest'
import { namesIn } from '../../docs/texts.ts'
import { textOfRefusal } from '../../http/refusal-answers.ts'
import { languages } from '../../texts/catalogue.ts'
import { sources } from '../../texts/generated/texts.ts'
import { sourcesIn } from '../architecture/sources.ts'

type Piece = ReturnType<IntlMessageFormat['getAst']>[number]

/** `[area.key, text]` of a language. */
const textsOf = (language: keyof typeof sources): readonly (readonly [string, string])[] =>
  Object.entries(sources[language]).flatMap(([area, texts]) =>
    Object.entries(texts).map(([key, text]) => [`${area}.${key}`, text] as const),
  )
const english = new Map(textsOf('en'))

const plurals = (pieces: readonly Piece[]): readonly (readonly string[])[] =>
  pieces.flatMap((piece) => {
    if (!('options' in piece)) return []
    const inner = Object.values(piece.options).flatMap(({ value }) => plurals(value))
    return 'pluralType' in piece ? [Object.keys(piece.options), ...inner] : inner
  })

test('there are English, Danish, Norwegian and Swedish', () => {
  expect(languages).toEqual(['en', 'da', 'nb', 'sv'])
  expect(english.size).toBeGreaterThan(1_500)
})

describe.each(languages)('%s', (language) => {
  const texts = textsOf(language)

  test('has each text of English, and no other', () => {
    expect(texts.map(([name]) => name)).toEqual([...english.keys()])
  })

  test('has no empty text, and no blanks around one', () => {
    expect(texts.filter(([, text]) => text === '' || text !== text.trim())).toEqual([])
  })

  test('has texts in ICU MessageFormat, with the values of the English ones', () => {
    for (const [name, text] of texts)
      expect([name, namesIn(text)]).toEqual([name, namesIn(english.get(name) ?? '')])
  })

  test('has the plurals that its grammar has', () => {
    const { pluralCategories } = new Intl.PluralRules(language).resolvedOptions()
    const found = texts.flatMap(([name, text]) => {
      const message = new IntlMessageFormat(text, language, undefined, { ignoreTag: true })
      return plurals(message.getAst()).map((options) => [name, options.toSorted()])
    })
    expect(found.length).toBeGreaterThan(10)
    for (const [name, options] of found)
      expect([name, options]).toEqual([name, pluralCategories.toSorted()])
  })

  test('names a locale and the tags of its readers', () => {
    const { locale, tags } = sources[language].language
    expect(Intl.getCanonicalLocales([locale, ...tags.split(' ')])).toContain(language)
  })
})

const englishWords = /\b(?:the|is|are|with|must|not|by|has|been|than|there|this)\b/i

test.each(languages.filter((one) => one !== 'en'))('%s has no English words', (language) => {
  for (const [name, text] of textsOf(language)) expect(text, name).not.toMatch(englishWords)
})

test('the English of a refusal is what the interface answers', () => {
  for (const [code, text] of Object.entries(sources.en.refusals))
    expect([code, text]).toEqual([code, textOfRefusal(code)])
})

const code = ['domain', 'application', 'audit', 'http', 'web', 'cli', 'service']
  .flatMap(sourcesIn)
  .map(({ text }) => text.replaceAll(/^ *(?:\/\/|\/?\*).*$/gm, ''))
  .join('\n')

/** Areas whose keys are those of something else: a test or the compiler asks for each. */
const listed = new Set(['refusals', 'callbackProblems', 'refusedRequests'])

/** What has a name: `texts.name`, `{ name }`, `'name'`; or a part of one: `texts[`name_${id}`]`. */
const used = new Set(code.match(/\b\w+\b/g))
const patterns = [...code.matchAll(/[[,]\s*`(\w*)\$\{[^}`]*\}(\w*)`[\])]/g)]
  .filter(([, before = '', after = '']) => before + after !== '')
  .map(([, before = '', after = '']) => new RegExp(`^${before}.+${after}$`))

const isUsed = (key: string): boolean =>
  used.has(key) || patterns.some((pattern) => pattern.test(key))

test('each text is used', () => {
  expect(patterns.length).toBeGreaterThan(20)
  const unused = [...english.keys()].filter((name) => {
    const [area = '', key = ''] = name.split('.')
    return !listed.has(area) && !isUsed(key)
  })
  expect(unused).toEqual([])
})
