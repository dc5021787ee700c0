import { expect, test } from 'vitest'
import { fileReply } from '../../http/portal/money-files.ts'
import { makeSpreadsheets } from '../../infrastructure/spreadsheets/spreadsheet-client.ts'

const lines = 'tid,net\nfirst,1.00\n'
const log = { sha256: 'of-these-lines', lines: 2, bytes: lines.length }
const logs = { transactionLogs: [log] }
const given = { logs, title: 'default-report-1', summary: { name: 'Summary', rows: [] } }
const readLog = async () => new Blob([lines]).stream()

test('given a workbook that takes too long, then a page leads to the CSV', async () => {
  for (const [language, name] of [
    ['en', 'The Excel file takes too long'],
    ['nb', 'Excel-filen tar for lang tid'],
  ] as const) {
    const needs = { readLog, makeSpreadsheet: makeSpreadsheets(0) }
    const shown = await fileReply(needs, { language }, 'transactions-1.xlsx', given)
    expect(shown).toMatchObject({ title: name, status: 503, retryAfter: 60 })
    expect(String(await shown.body)).toContain('href="transactions-1.csv"')
  }
})

test('given a workbook that is made in time, then it is the answer', async () => {
  const needs = { readLog, makeSpreadsheet: makeSpreadsheets() }
  const shown = await fileReply(needs, { language: 'en' }, 'transactions-1.xlsx', given)
  expect(shown).toMatchObject({ type: expect.stringContaining('spreadsheetml') as string })
  // A zip archive.
  expect(
    Buffer.from(shown.body as Uint8Array)
      .subarray(0, 2)
      .toString(),
  ).toBe('PK')
})
