import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const text = readFileSync('docs/security-asvs.md', 'utf8')

type Row = { readonly name: string; readonly answer: string; readonly why: string }

/** The numbered rows of the tables with this many columns. */
const rowsOf = (columns: number): Row[] =>
  text.split('\n').flatMap((line) => {
    const cells = line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim())
    const [name = ''] = cells
    const isRow = /^\d+(\.\d+)+$/.test(name) && cells.length === columns
    return isRow ? [{ name, answer: cells.at(-2) ?? '', why: cells.at(-1) ?? '' }] : []
  })
/** Tables of ASVS have a level, too. */
const [asvs, rfc9700] = [rowsOf(5), rowsOf(4)]

const answers = ['met', 'operator', 'not met', 'not applicable'] as const

/** The number of level 1 and 2 requirements in each section of ASVS 5.0.0. */
const sections = `
  1.1 2, 1.2 9, 1.3 11, 1.4 3, 1.5 2, 2.1 3, 2.2 3, 2.3 4, 2.4 1,
  3.2 2, 3.3 4, 3.4 6, 3.5 5, 3.7 2, 4.1 3, 4.2 1, 4.3 2, 4.4 4, 5.1 1, 5.2 3, 5.3 2, 5.4 3,
  6.1 3, 6.2 12, 6.3 4, 6.4 4, 6.5 5, 6.6 3, 6.8 4, 7.1 3, 7.2 4, 7.3 2, 7.4 5, 7.5 2, 7.6 2,
  8.1 2, 8.2 3, 8.3 1, 8.4 1, 9.1 3, 9.2 4, 10.1 2, 10.2 2, 10.3 4, 10.4 11, 10.5 5, 10.6 2, 10.7 3,
  11.1 2, 11.2 3, 11.3 3, 11.4 4, 11.5 1, 11.6 1, 12.1 3, 12.2 2, 12.3 4,
  13.1 1, 13.2 5, 13.3 2, 13.4 5, 14.1 2, 14.2 4, 14.3 3, 15.1 3, 15.2 3, 15.3 7,
  16.1 1, 16.2 5, 16.3 4, 16.4 3, 16.5 3, 17.1 1, 17.2 4, 17.3 2`

test('every requirement of level 1 and 2 is answered, each once and in order', () => {
  const expected = sections.split(',').flatMap((entry) => {
    const [section, count] = entry.trim().split(' ')
    return Array.from({ length: Number(count) }, (_, index) => `${section}.${index + 1}`)
  })
  expect(expected).toHaveLength(253)
  expect(asvs.map(({ name }) => name)).toEqual(expected)
  for (const { answer } of [...asvs, ...rfc9700]) expect(answers).toContain(answer)
})

test('the summary counts what the tables say', () => {
  const counted = (rows: readonly Row[]) => (answer: string) =>
    String(rows.filter((row) => row.answer === answer).length)
  for (const answer of answers) {
    const [line = ''] = text.split('\n').filter((one) => one.startsWith(`| \`${answer}\``))
    const cells = line.split('|').map((cell) => cell.trim())
    expect([answer, ...cells.slice(3, 5)]).toEqual([
      ...[answer, counted(asvs)(answer), counted(rfc9700)(answer)],
    ])
  }
  const listed = /Not met: ([\d., \n]+)\.\n/.exec(text)?.[1] ?? ''
  const notMet = asvs.filter(({ answer }) => answer === 'not met').map(({ name }) => name)
  expect(listed.split(/,\s+/)).toEqual(notMet)
})

test('what is met is shown by a file that is there, and everything else says why', () => {
  const files = ({ why }: Row) => [
    ...[...why.matchAll(/`([\w/.-]+\.(?:test|browser|soak)\.ts)`/g)].map(([, file]) =>
      join('tests', file ?? ''),
    ),
    ...[
      ...why.matchAll(
        /`((?!\S*\.(?:test|soak)\.ts)(?:domain|http|infrastructure|deploy)\/[\w/.-]+)`/g,
      ),
    ].map(([, file]) => file ?? ''),
    ...[...why.matchAll(/\]\(([\w./-]+)\)/g)].map(([, file]) => join('docs', file ?? '')),
  ]
  const isShown = (row: Row) => files(row).length > 0 || /^(As|There (is|are) no)/.test(row.why)
  for (const row of [...asvs, ...rfc9700]) {
    expect([row.name, row.why.length > 3]).toEqual([row.name, true])
    if (row.answer === 'met') expect([row.name, isShown(row)]).toEqual([row.name, true])
    for (const file of files(row)) expect([row.name, file, existsSync(file)]).toContain(true)
  }
})
