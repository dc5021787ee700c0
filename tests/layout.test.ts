import { existsSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { describe, expect, test } from 'vitest'
import { circlesIn } from './architecture/circles.ts'
import { isLongFile, longFunctions, wideLines } from './architecture/sizes.ts'
import { root, sourcesIn, topFolders } from './architecture/sources.ts'

/** Exceptions from before these rules: remove an entry once it is fixed, and never add one. */
const known = JSON.parse(
  readFileSync(posix.join(root, 'tests/architecture/exceptions.json'), 'utf8'),
) as Readonly<Record<'longFiles' | 'longFunctions' | 'circles', readonly string[]>> & {
  /** The maximum per file. */
  readonly wideLines: Readonly<Record<string, number>>
}

const sources = topFolders.flatMap(sourcesIn)

const expectOnlyKnown = (found: readonly string[], listed: readonly string[]): void =>
  expect(found.filter((one) => !listed.includes(one))).toEqual([])

test('there are sources to look at', () => {
  expect(sources.length).toBeGreaterThan(500)
})

describe('apart from the known exceptions,', () => {
  test('no line is wider than 100 columns, comments included', () => {
    const more = sources.filter(
      (source) => wideLines(source).length > (known.wideLines[source.file] ?? 0),
    )
    expect(more.flatMap(wideLines)).toEqual([])
  })

  test('no file has over 400 lines, unless its top says why', () => {
    const files = sources.filter(isLongFile)
    expectOnlyKnown(
      files.map(({ file }) => file),
      known.longFiles,
    )
  })

  test('no function has over 60 lines, unless the comment above says why', { tags: 'long' }, () => {
    expectOnlyKnown(sources.flatMap(longFunctions), known.longFunctions)
  })

  test('outside tests no object is spread into another only to save lines', () => {
    const isPacked = ({ file, text }: (typeof sources)[number]) =>
      !file.startsWith('tests/') && text.includes('...{')
    const packed = sources.filter(isPacked)
    expect(packed.map(({ file }) => file)).toEqual([])
  })

  test('no imports go in a circle', () => {
    expectOnlyKnown(circlesIn(sources), known.circles)
  })
})

test.each([...topFolders, 'deploy', 'docs'])(
  'the README of %s says in a few lines what belongs there',
  (folder) => {
    const file = posix.join(root, folder, 'README.md')
    expect(existsSync(file)).toBe(true)
    const lines = readFileSync(file, 'utf8').trimEnd().split('\n').length
    expect(lines).toBeGreaterThanOrEqual(5)
    if (folder !== 'bench') expect(lines).toBeLessThanOrEqual(20)
  },
)

const lines = (count: number, line = 'f()'): string => Array(count).fill(line).join('\n')
const given = (text: string, file = 'domain/given.ts') => ({ file, text })
const long = `export const f = () => {\n${lines(59)}\n}\n`

describe('the rules find', () => {
  test('a comment of 101 columns, and none of 100', () => {
    const wide = `//${' '.repeat(98)}`
    expect(wideLines(given(`f()\n${wide}.\n${wide}`))).toEqual(['domain/given.ts:2'])
  })

  test('a file of 401 lines, and none of 400 or with a reason', () => {
    expect(isLongFile(given(`${lines(401)}\n`))).toBe(true)
    expect(isLongFile(given(`${lines(400)}\n`))).toBe(false)
    expect(isLongFile(given(`// Long because a table stands here.\n${lines(401)}`))).toBe(false)
    expect(isLongFile(given(`// Long because\n${lines(401)}`))).toBe(true)
  })

  test.each([
    ['an arrow', long, 'f'],
    ['a declaration', `function g() {\n${lines(59)}\n}`, 'g'],
    ['a method', `const o = {\n  m() {\n${lines(59)}\n  },\n}`, 'm'],
    ['one without a name', `call(() => {\n${lines(59)}\n})`, 'without a name'],
    ['one in a group of tests', `describe('a', () => {\n${lines(99)}\n${long.slice(7)}})`, 'f'],
    ['one of a script', long, 'f', 'http/given.js'],
    ['a component', long.replace('f()', '<p>{f()}</p>'), 'f', 'web/given.tsx'],
  ])('a function of 61 lines: %s', (_, text, name, file = 'domain/given.ts') => {
    expect(longFunctions(given(text, file))).toEqual([`${file} ${name}`])
  })

  test.each([
    ['of 60 lines', `export const f = () => {\n${lines(58)}\n}\n`],
    ['with a reason', `/** Does it.\n * Long because it is a table. */\n${long}`],
    ['with a reason of one line', `const a = 1\n// Long because it is a table.\n${long}`],
    ['that is a group of tests', `describe.each([1])('a', () => {\n${lines(99)}\n})`],
  ])('no function %s', (_, text) => {
    expect(longFunctions(given(text))).toEqual([])
  })

  test('a circle of imports, and none where two lead to the same', () => {
    const circle = [
      given(`import { b } from './b.ts'\nimport type { c } from '../c.ts'`, 'http/a.ts'),
      given(`export {\n  x,\n} from './a.ts'`, 'http/b.ts'),
      given(`import './c.ts'`, 'c.ts'),
    ]
    expect(circlesIn(circle)).toEqual(['http/a.ts > http/b.ts > http/a.ts', 'c.ts > c.ts'])
    expect(
      circlesIn([
        given(`import './b.ts'\nimport './c.ts'`, 'a.ts'),
        given(`import './c.ts'`, 'b.ts'),
        given(``, 'c.ts'),
      ]),
    ).toEqual([])
  })
})
