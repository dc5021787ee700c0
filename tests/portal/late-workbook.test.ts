// @module-tag long
import { readSheet } from 'read-excel-file/node'
import { expect, test } from 'vitest'
import { fileReply } from '../../web/portal/money-files.tsx'
import { textCell } from '../../infrastructure/transaction-logs/transaction-log.ts'
import { makeSpreadsheets } from '../../infrastructure/spreadsheets/spreadsheet-client.ts'

const lines = 'tid,net\nfirst,1.00\n'

const log = { sha256: 'of-these-lines', lines: 2, bytes: lines.length }

const logs = { transactionLogs: [log] }

const given = { logs, title: 'default-report-1', summary: { name: 'Summary', rows: [] } }

const shop = { timeZone: 'Europe/Oslo' }

const readLog = async () => new Blob([lines]).stream()

test('given a workbook that takes too long, then a page leads to the CSV', async () => {
  for (const [language, name] of [
    ['en', 'The Excel file takes too long'],
    ['nb', 'Excel-filen tar for lang tid'],
  ] as const) {
    const needs = { readLog, makeSpreadsheet: makeSpreadsheets(0) }
    const shown = await fileReply(needs, { language, shop }, 'transactions-1.xlsx', given)
    expect(shown).toMatchObject({ title: name, status: 503, retryAfter: 60 })
    expect(String(await shown.body)).toContain('href="transactions-1.csv"')
  }
})

test('given texts like formulas or escapes, then a workbook has them as they are', async () => {
  const texts = [
    '=1+1',
    '+4799999901',
    "it's -1",
    'a;=b',
    '_x0041_',
    '_x0041_x0042_',
    '<&>"',
    'æøå',
  ]
  const logged = `tid,text\n${texts.map((text) => `${textCell(text)},x`).join('\n')}\n`
  const needs = {
    readLog: async () => new Blob([logged]).stream(),
    makeSpreadsheet: makeSpreadsheets(),
  }
  const summary = { name: 'Summary', rows: [['_x0041_', '=1+1']] }
  const shown = await fileReply(needs, { language: 'en', shop }, 'transactions-1.xlsx', {
    ...given,
    summary,
  })
  const file = Buffer.from(shown.body as Uint8Array)
  // The reader decodes `_x0041_` as Excel does.
  expect(await readSheet(file, 1)).toEqual([['_x0041_', '=1+1']])
  const cells = await readSheet(file, 2)
  expect(cells.slice(1).map(([text]) => text)).toEqual(texts)
})

test('given a CSV log for a person, then it begins with the mark that Excel reads', async () => {
  const needs = { readLog, makeSpreadsheet: makeSpreadsheets() }
  const { body } = await fileReply(needs, { language: 'en', shop }, 'transactions-1.csv', given)
  const bytes = Buffer.from(await new Response(body as ReadableStream).arrayBuffer())
  expect(bytes.toString()).toBe(`\ufeff${lines}`)
})

test('given a workbook that is made in time, then it is the answer', async () => {
  const needs = { readLog, makeSpreadsheet: makeSpreadsheets() }
  const shown = await fileReply(needs, { language: 'en', shop }, 'transactions-1.xlsx', given)
  expect(shown).toMatchObject({ type: expect.stringContaining('spreadsheetml') as string })
  // A zip archive.
  expect(
    Buffer.from(shown.body as Uint8Array)
      .subarray(0, 2)
      .toString(),
  ).toBe('PK')
})
