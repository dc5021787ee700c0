import { readdirSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { describe, expect, test } from 'vitest'
import { rules, sentenceOf, type Rule } from '../../simulation/oracle/rules.ts'

const root = posix.join(import.meta.dirname, '../..')
const folder = posix.join(root, 'simulation/oracle')

/** The text with its line breaks and blanks as single blanks. */
const inOneLine = (text: string): string => text.replaceAll(/\s+/g, ' ')
const contract = inOneLine(readFileSync(posix.join(root, 'docs/interface.md'), 'utf8'))

const foreignImports = (source: string): string[] =>
  [...source.matchAll(/(?:\bfrom|\bimport)\s*\(?\s*['"`]([^'"`]+)['"`]/g)]
    .map(([, specifier = '']) => specifier)
    .filter((specifier) => !/^\.\/[a-z-]+\.ts$/.test(specifier))

describe('the oracle', () => {
  test.each(Object.keys(rules) as Rule[])('goes by a sentence of the interface: %s', (rule) => {
    expect(contract.includes(inOneLine(sentenceOf(rule)))).toBe(true)
  })

  test.each(readdirSync(folder))('imports nothing but itself: %s', (file) => {
    expect(foreignImports(readFileSync(posix.join(folder, file), 'utf8'))).toEqual([])
  })

  test.each([
    `import { fold } from '../../domain/decider.ts'`,
    `import { hash } from 'node:crypto'`,
    `const handle = await import('../play.ts')`,
  ])('would not pass with: %s', (source) => {
    expect(foreignImports(source)).toHaveLength(1)
  })
})
