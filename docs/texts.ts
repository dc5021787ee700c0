// Prints `texts/generated/texts.ts`, the languages and the types of their texts: `npm run docs`.
import { IntlMessageFormat } from 'intl-messageformat'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { format } from 'prettier'

const folder = new URL('../texts/', import.meta.url)
const file = new URL('generated/texts.ts', folder)

type Source = Readonly<Record<string, Readonly<Record<string, string>>>>
type Piece = ReturnType<IntlMessageFormat['getAst']>[number]

const sourceOf = (language: string): Source =>
  JSON.parse(readFileSync(new URL(`${language}.json`, folder), 'utf8')) as Source

/** `{count}` has a name; plain text (0) and the `#` of a plural (7) have none. */
const namesOf = (pieces: readonly Piece[]): readonly string[] =>
  pieces.flatMap((piece) => {
    if (piece.type === 0 || piece.type === 7) return []
    const inner = 'options' in piece ? Object.values(piece.options) : []
    return [piece.value, ...inner.flatMap(({ value }) => namesOf(value))]
  })

/** The names of a text's values, each once. @throws SyntaxError for one that is malformed */
export const namesIn = (text: string): readonly string[] => {
  const message = new IntlMessageFormat(text, 'en', undefined, { ignoreTag: true })
  return [...new Set(namesOf(message.getAst()))].sort()
}

const typeOf = (text: string): string =>
  text.includes('{')
    ? `Message<${namesIn(text)
        .map((name) => `'${name}'`)
        .join(' | ')}>`
    : 'string'

/** English first: readers of other languages get it. */
const found = readdirSync(folder).flatMap((name) => /^(.+)\.json$/.exec(name)?.[1] ?? [])
const languages = ['en', ...found.filter((name) => name !== 'en').sort()]

export const textsFile = readFileSync(file, 'utf8')

export const printedTexts = (): Promise<string> => {
  const areas = Object.entries(sourceOf('en')).map(([area, texts]) => {
    const keys = Object.entries(texts).map(([key, text]) => `readonly '${key}': ${typeOf(text)}`)
    return `readonly ${area}: {\n${keys.join('\n')}\n}`
  })
  const lines = [
    '// Printed by `npm run docs` from the texts of English.',
    ...languages.map((name) => `import ${name} from '../${name}.json' with { type: 'json' }`),
    `import type { Message } from '../message.ts'\n`,
    `export const sources = { ${languages.join(', ')} }\n`,
    'export type Language = keyof typeof sources\n',
    `export type Catalogue = {\n${areas.join('\n')}\n}`,
  ]
  const style = { printWidth: 100, semi: false, singleQuote: true }
  return format(lines.join('\n'), { parser: 'typescript', ...style })
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href)
  writeFileSync(file, await printedTexts())
