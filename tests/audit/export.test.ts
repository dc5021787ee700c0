import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { exportedShop } from './exported-shop.ts'
import { added, run, testWith } from './plain-text-accounting.ts'
import { testValid, validator } from '../accounting/schemas.ts'
import { problemsOfSaft } from './saf-t-structure.ts'
import { only } from './shop-log.ts'
import { rewrite } from '../../harness/alter/altered-log.ts'
import { operatorHere } from '../../harness/operator.ts'
import { readSettings } from '../../infrastructure/settings.ts'

const { folder, at, text, manifest, ours, daybook, exportTo, data } = exportedShop()
const validate = validator()

testWith('hledger', 'given an export, then hledger balance is our trial balance', () => {
  const csv = ['--flat', '--no-total', '--layout=bare', '-O', 'csv']
  for (const name of ['all', 'second']) {
    const file = join(at(name), 'journal.ledger')
    run('hledger', '-f', file, 'check', '--strict')
    const rows = run('hledger', '-f', file, 'balance', ...csv)
      .trim()
      .split('\n')
      .slice(1)
      .map((row) => row.replaceAll('"', '').split(',') as [string, string, string])
    expect(added(rows)).toEqual(ours())
  }
})

testWith('ledger', 'given an export, then ledger balance is our trial balance', () => {
  const format = ['--flat', '--no-total', '--format', '%(account) %(join(display_amount))\n']
  const file = join(at('second'), 'journal.ledger')
  const rows = run('ledger', '-f', file, '--pedantic', 'balance', ...format)
    .trim()
    .split('\n')
    .flatMap((row) => {
      const [name = '', amounts = ''] = row.split(/ (.*)/s)
      return amounts.split('\\n').map((amount) => {
        const [number = '', currency = ''] = amount.trim().split(' ')
        return [name, currency, number] as const
      })
    })
  expect(added(rows)).toEqual(ours())
})

testWith('hledger', 'given an export, then hledger finds an entry by its tags', () => {
  const file = join(at('all'), 'journal.ledger')
  const refund = only(data(), 'PaymentRefunded')
  const words = ['tag:action=refund', 'tag:sub_id=^r$', 'payer_clearing', '-O', 'csv']
  const [, ...rows] = run('hledger', '-f', file, 'register', ...words)
    .trim()
    .split('\n')
  expect(rows).toHaveLength(2)
  expect(rows[0]).toContain(`"${refund.position}","Sandbox Shop","assets:payer_clearing"`)
  expect(rows[0]).toContain('"-10.00 NOK"')
})

test('given two adjoining periods, then together they have all events, as printed', async () => {
  const { output } = await daybook('audit', 'events')
  const [first, second] = [text('first', 'events.jsonl'), text('second', 'events.jsonl')]
  expect(first.length).toBeGreaterThan(1_000)
  expect(second.length).toBeGreaterThan(1_000)
  expect(first + second === text('all', 'events.jsonl')).toBe(true)
  expect(output.startsWith(first + second)).toBe(true)
})

test('given two adjoining periods, then one opens as the other closes', () => {
  const accounts = (name: string, column: string) =>
    manifest(name).trial_balance.flatMap((row: Record<string, string>) =>
      Number(row[column]) === 0
        ? []
        : `${row['account']} ${row['merchant']} ${row['currency']} ${row[column]}`,
    )
  expect(accounts('first', 'closing').length).toBeGreaterThan(5)
  expect(accounts('second', 'opening')).toEqual(accounts('first', 'closing'))
  expect(accounts('second', 'closing')).toEqual(accounts('all', 'closing'))
})

test('given an export, then its manifest has digests, range and checkpoint', () => {
  const names = ['all', 'first', 'second']
  for (const name of names) {
    const { files, events } = manifest(name)
    expect(['manifest.json', ...files.map((file: { name: string }) => file.name)].sort()).toEqual(
      readdirSync(at(name)).sort(),
    )
    for (const file of files) {
      const content = readFileSync(join(at(name), file.name))
      const sha256 = createHash('sha256').update(content).digest('hex')
      expect(file).toEqual({ name: file.name, bytes: content.length, sha256 })
    }
    const lines = text(name, 'events.jsonl').trim().split('\n')
    const positions = [lines[0], lines.at(-1)].map((line) => JSON.parse(line ?? '').position)
    expect(events.count).toBe(lines.length)
    expect(Object.values(events.positions)).toEqual(positions)
  }
  const { checkpoint, events } = manifest('first')
  const signed = only(data(), 'CheckpointSigned')
  expect(checkpoint).toMatchObject({ position: expect.any(Number), root: expect.any(String) })
  expect(checkpoint.size).toBeGreaterThanOrEqual(events.entries.up_to)
  expect(checkpoint.note).toContain(`\n${checkpoint.size}\n${checkpoint.root}\n`)
  expect(signed.position).toBeLessThanOrEqual(checkpoint.position)
})

test('given an idle log and no end, then the newest checkpoint covers the period', async () => {
  const { output } = await daybook('audit', 'events')
  const [clock, ...checkpoints] = output
    .trim()
    .split('\n')
    .slice(-2)
    .map((line) => JSON.parse(line))
  expect([clock, ...checkpoints].map(({ type }) => type)).toEqual([
    'ClockAdvanced',
    'CheckpointSigned',
  ])
  for (const name of ['all', 'second']) {
    const { checkpoint, events } = manifest(name)
    expect(checkpoint.position).toBe(checkpoints[0].position)
    expect([checkpoint.size, events.positions.last]).toEqual([events.entries.up_to, clock.position])
  }
})

test('given events that no checkpoint covers and an end, then the export says so', async () => {
  const { code, errors } = await exportTo('uncovered', '--to', '9000-01-01')
  expect([code, errors]).toEqual([0, expect.stringContaining('No checkpoint covers all of these')])
  expect(manifest('uncovered').checkpoint).toBeNull()
})

test('given an export, then each SAF-T file has the structure of 1.30 and its sums', () => {
  for (const name of ['all', 'first', 'second'])
    for (const currency of ['NOK', 'EUR', 'JPY'])
      expect(problemsOfSaft(text(name, `saf-t-${currency}.xml`))).toEqual([])
  expect(text('all', 'saf-t-NOK.xml')).toContain('<Name>Pay &amp; &lt;Sons&gt;</Name>')
  expect(existsSync(join(at('all'), 'saf-t-KWD.xml'))).toBe(false)
  expect(manifest('all').not_written).toEqual([
    { name: 'saf-t-KWD.xml', why: 'SAF-T has two decimals, and KWD has more' },
  ])
})

testValid('given an export, then each SAF-T file passes the schema of Skatteetaten', () => {
  const files = ['all', 'first', 'second'].flatMap((name) =>
    ['NOK', 'EUR', 'JPY'].map((currency) => text(name, `saf-t-${currency}.xml`)),
  )
  expect(validate('saft', files)).toEqual([])
})

test('given a merchant with sales, then SAF-T has it as a customer, and taxes of fees', () => {
  const xml = text('second', 'saf-t-NOK.xml')
  expect(xml).toContain('<CustomerID>sandbox</CustomerID>')
  expect(xml).toMatch(/<BalanceAccount>\s*<AccountID>299\d:sandbox<\/AccountID>/)
  expect(xml).toMatch(/<TaxCode>6<\/TaxCode>\s*<TaxPercentage>0<\/TaxPercentage>/)
})

test('given a SAF-T file with one fault, then its check finds it', () => {
  const xml = text('all', 'saf-t-NOK.xml')
  for (const [was, is] of [
    ['<Amount>40.00</Amount>', '<Amount>40.01</Amount>'],
    [/<TotalDebit>\d/, '<TotalDebit>9'],
    [/<NumberOfEntries>\d+/, '<NumberOfEntries>1'],
    [/<ClosingCreditBalance>\d/, '<ClosingCreditBalance>77'],
    ['<CustomerID>sandbox</CustomerID>', '<CustomerID>nobody</CustomerID>'],
    [/<TaxCode>6(?!.*<TaxCode>3)/s, '<TaxCode>9'],
    [/(<Period>\d+<\/Period>)(\s*<PeriodYear>\d+<\/PeriodYear>)/, '$2$1'],
  ] as const)
    expect(problemsOfSaft(xml.replace(was, is))).not.toEqual([])
})

test('given an export, then debits and credits of the CSV are those of the trial balance', () => {
  const rows = (file: string) =>
    text('all', file)
      .trim()
      .split('\n')
      .map((line) => line.split(','))
  const [columns = [], ...postings] = rows('journal.csv')
  const column = (name: string) => columns.indexOf(name)
  const sums = new Map<string, number>()
  for (const cells of postings)
    for (const side of ['debit', 'credit']) {
      const [account, merchant, currency] = ['account', 'merchant_id', 'currency'].map(
        (name) => cells[column(name)],
      )
      const key = `${account},${merchant},${currency},${side}`
      const minor = Math.round(Number(cells[column(side)] || '0') * 1_000)
      sums.set(key, (sums.get(key) ?? 0) + minor)
    }
  const [, ...accounts] = rows('trial-balance.csv')
  expect(accounts.length).toBeGreaterThan(10)
  for (const [account, merchant, currency, , debit, credit] of accounts)
    for (const [side, told] of Object.entries({ debit, credit }))
      expect(sums.get(`${account},${merchant},${currency},${side}`) ?? 0).toBe(
        Math.round(Number(told) * 1_000),
      )
})

test('given a folder that is there, then nothing is exported into it', async () => {
  const { code, errors } = await exportTo('all')
  expect([code, errors]).toEqual([1, `${at('all')} is there already: name a new folder\n`])
})

test('given a period that ends before it begins, then it is refused', async () => {
  const { code, errors } = await exportTo('none', '--from', '2026-12-01', '--to', '2026-12-01')
  expect([code, errors]).toEqual([1, '--to must be after --from\n'])
})

test('given a period without events, then its files are empty and its balances stand', async () => {
  const words = ['--from', '2020-01-01', '--to', '2020-02-01']
  expect((await exportTo('empty', ...words)).code).toBe(0)
  expect(text('empty', 'events.jsonl')).toBe('')
  expect(manifest('empty')).toMatchObject({
    events: { count: 0, positions: null, times: null },
    trial_balance: [],
  })
})

test('given a log that cannot be read to its end, then nothing is left of the export', async () => {
  const copy = at('copy')
  cpSync(data(), copy, { recursive: true })
  rewrite(copy, only(copy, 'PaymentRefunded').position, { data: () => ({}) })
  const settings = readSettings({ DATA_DIR: copy })
  const words = ['audit', 'export', '--out', at('broken')]
  const { code } = await operatorHere(settings)(...words)
  expect(code).toBe(1)
  expect(readdirSync(folder).filter((name) => name.startsWith('broken'))).toEqual([])
})

const mount = ['-rm', 'sh', '-c', 'mount -t tmpfs -o size=300k full "$0" && exec "$@"', folder]

test.runIf(spawnSync('unshare', [...mount, 'true']).status === 0)(
  'given a disk without room, then the export says so',
  () => {
    const words = ['dist/service/main.js', 'audit', 'export', '--out', at('full')]
    const env = { ...process.env, MODE: 'sandbox', DATA_DIR: data() }
    const { status, stderr } = spawnSync('unshare', [...mount, process.execPath, ...words], { env })
    const told = `${at('full')} cannot be written: the disk is full\n`
    expect([status, String(stderr)]).toEqual([1, told])
  },
)
