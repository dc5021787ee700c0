import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { run, testWith } from './plain-text-accounting.ts'
import { problemsOfSaft } from './saf-t-structure.ts'
import type { Account, Posting } from '../../domain/accounting/journal.ts'
import type { JournalEntry } from '../../audit/export/journal-entries.ts'
import { writeJournal } from '../../audit/export/write-journal.ts'

const payees = [
  "=HYPERLINK('x')",
  'Bærum ☕ & <Sønner>',
  '; no payee | a note',
  '(12) * Kafé  ; tid: other',
  'two\nlines\u2028and\ttabs',
  '\ud800 lone half',
  ' ',
]
const subIds = ['a,b: c', '[2020-01-01]', '50% off', '=1+1', 'pose № 4 ', 'x::y', '']

const posting = (account: Account, amount: string): Posting => {
  const merchant = account === 'merchant_payable' ? 'shop' : null
  return { account, merchant, currency: 'NOK', amount }
}

const entries = payees.map((payee, index): JournalEntry => {
  const none = { pos_tid: null, settlement: null, message: null }
  return {
    ...{ position: index + 1, day: '2026-11-27', at: 1_795_000_000_000, actor: 'user:pos1' },
    ...{ payee, action: 'capture' },
    tags: { ledger: 'default', tid: 'aa', sub_id: subIds[index] ?? null, ...none },
    postings: [posting('payer_clearing', '1'), posting('merchant_payable', '-1')],
  }
})

const folder = mkdtempSync(join(tmpdir(), 'daybook-texts-'))
const ledger = join(folder, 'journal.ledger')

beforeAll(() => {
  const balance = (account: Account, amount: string) => {
    const { merchant, currency } = posting(account, amount)
    return { key: `${account} NOK ${merchant ?? ''}`, account, merchant, currency, balance: amount }
  }
  const count = String(entries.length)
  const closing = [balance('payer_clearing', count), balance('merchant_payable', `-${count}`)]
  const journal = writeJournal(folder, [], closing)
  for (const entry of entries) journal.add(entry)
  const findMerchant = () => undefined
  const company = { name: 'Fish&Chips;', registrationNumber: 'x', contact: 'x' }
  const days = { created: '2026-11-27', from: '2026-11-27', to: '2026-11-27' }
  journal.finish('2026-11-27', { company, version: '1', ...days, findMerchant })
})
afterAll(() => rmSync(folder, { recursive: true }))

const ids = subIds.filter((id) => id !== '').sort()

testWith('hledger', 'whatever a merchant calls things, hledger reads them', () => {
  run('hledger', '-f', ledger, 'check', '--strict')
  const found = run('hledger', '-f', ledger, 'tags', 'sub_id', '--values').trim().split('\n')
  expect(found.map(decodeURIComponent).sort()).toEqual(ids)
  expect(run('hledger', '-f', ledger, 'tags', 'tid', '--values')).toBe('aa\n')
  expect(run('hledger', '-f', ledger, 'payees')).toContain('Bærum ☕ & <Sønner>\n')
})

testWith('ledger', 'whatever a merchant calls things, ledger reads them', () => {
  const found = run('ledger', '-f', ledger, '--pedantic', 'tags', '--values').trim().split('\n')
  const of = (name: string) =>
    found.flatMap((line) => (line.startsWith(`${name}: `) ? line.slice(name.length + 2) : []))
  expect(of('sub_id').map(decodeURIComponent).sort()).toEqual(ids)
  expect(of('tid')).toEqual(['aa'])
})

test('whatever a merchant calls things, the CSV runs nothing in a spreadsheet', () => {
  const lines = readFileSync(join(folder, 'journal.csv'), 'utf8').trim().split('\n')
  expect(lines[1]).toContain(",'=HYPERLINK('x'),")
  expect(lines.some((line) => line.includes(",'=1+1,"))).toBe(true)
  expect(lines.filter((line) => /(^|,)"?[=@]/.test(line))).toEqual([])
})

test('whatever a merchant calls things, the SAF-T file has its structure', () => {
  const xml = readFileSync(join(folder, 'saf-t-NOK.xml'), 'utf8')
  expect(problemsOfSaft(xml)).toEqual([])
  expect(xml).toContain('Bærum ☕ &amp; &lt;Sønner&gt;')
  expect(xml).toContain('Fish&amp;Chips;')
})
