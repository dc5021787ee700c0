import { createHash } from 'node:crypto'
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { watch } from 'node:fs/promises'
import { getPriority, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import { nicenessOfThreads } from '../support/event-log.ts'
import {
  openDraft,
  linesPerFile,
  writeLogs,
} from '../../infrastructure/transaction-logs/transaction-log.ts'
import { makeLogWriter } from '../../infrastructure/transaction-logs/logs.ts'
import type { LogLine } from '../../projections/log-lines.ts'
import { jobOf } from './report-job.ts'

const directory = mkdtempSync(join(tmpdir(), 'daybook-logs-'))

afterAll(() => rmSync(directory, { recursive: true }))

const line = (tid: string, changes: Partial<LogLine> = {}): LogLine => ({
  position: 1,
  merchant: 'shop',
  ledger: 'default',
  tid,
  subId: null,
  at: Date.UTC(2026, 10, 21, 9, 30),
  action: 'capture',
  credit: false,
  customer: null,
  currency: 'NOK',
  amount: 1000,
  additionalAmount: 0,
  charge: { fee: 10, interchange: 0, vat: 0, taxcode: 'NO:2013' },
  posId: 'till-1',
  posTid: 'p1',
  text: null,
  ...changes,
})

const countsOf = (lines: Iterable<LogLine>) => {
  const counts = new Map<string, number>()
  for (const { tid } of lines) counts.set(tid, (counts.get(tid) ?? 0) + 1)
  return counts
}

const write = (lines: () => Iterable<LogLine>, format?: number) => {
  const { transactionLogs, ...sums } = writeLogs(
    join(directory, 'some.draft'),
    {
      ofPayments: { counts: countsOf(lines()), lines: lines() },
      ofPermissions: { counts: [], lines: [] },
    },
    () => 'S-1',
    format,
  )
  const files = transactionLogs.map(({ sha256 }) =>
    readFileSync(join(directory, `${sha256}.csv`), 'utf8')
      .trimEnd()
      .split('\n'),
  )
  return { ...sums, transactionLogs, files }
}

const header =
  'tid,sub_id,timestamp,action,type,customer,currency,amount,additional_amount,gross,fee,interchange,vat,taxcode,net,merchant_id,settlement_id,reserved1,reserved2,pos_id,pos_tid,text'

test('the columns are those of the interface, and money has the decimals of its currency', () => {
  const { files } = write(() => [
    line('a', { action: 'request', charge: null }),
    line('a', { subId: 'one', additionalAmount: 5, credit: true, customer: '4799999901' }),
    line('a', { action: 'refund', subId: '@b', amount: -300, charge: line('a').charge }),
    line('b', { currency: 'JPY', text: 'Two\nlines; -1, "3"' }),
    line('c', { currency: 'KWD' }),
  ])
  expect(files).toEqual([
    [
      header,
      'a,,2026-11-21 09:30:00,request,,,NOK,10.00,0.00,0.00,0.00,0.00,0.00,,0.00,shop,,,,till-1,p1,',
      'a,one,2026-11-21 09:30:00,capture,credit,4799999901,NOK,10.00,0.05,10.05,0.10,0.00,0.00,NO:2013,9.95,shop,S-1,,,till-1,p1,',
      "a,'@b,2026-11-21 09:30:00,refund,,,NOK,-3.00,0.00,-3.00,0.10,0.00,0.00,NO:2013,-3.10,shop,S-1,,,till-1,p1,",
      `b,,2026-11-21 09:30:00,capture,,,JPY,1000,0,1000,10,0,0,NO:2013,990,shop,S-1,,,till-1,p1,"Two lines;' -1, ""3"""`,
      'c,,2026-11-21 09:30:00,capture,,,KWD,1.000,0.000,1.000,0.010,0.000,0.000,NO:2013,0.990,shop,S-1,,,till-1,p1,',
    ],
  ])
})

test('given a log that was made before the last columns came, then it is made again without them', () => {
  const { files, format } = write(() => [line('a', { text: 'Coffee' })], 1)
  expect(files[0]).toEqual([
    header.replace(',pos_id,pos_tid,text', ''),
    'a,,2026-11-21 09:30:00,capture,,,NOK,10.00,0.00,10.00,0.10,0.00,0.00,NO:2013,9.90,shop,S-1,,',
  ])
  expect(format).toBeUndefined()
})

test('no line at all still makes a file, with the names of the columns', () => {
  expect(write(() => [])).toMatchObject({ files: [[header]], transactionLogs: [{ lines: 0 }] })
})

test(
  'files are split at 50,000 lines, never inside a transaction, unless one has more by itself',
  { tags: 'long' },
  () => {
    expect(linesPerFile).toBe(50_000)
    // Seven lines do not divide 50,000: a file ends before the transaction that would not fit.
    const sizes = [...Array.from({ length: 15_000 }, () => 7), 50_001, 1, 49_999, 1]
    function* lines() {
      for (const [index, size] of sizes.entries())
        for (let count = 0; count < size; count++) yield line(`t${String(index).padStart(6, '0')}`)
    }
    const { files, transactionLogs, counters, totals } = write(lines)
    expect(files.map((file) => file.length - 1)).toEqual([49_994, 49_994, 5012, 50_001, 50_000, 1])
    expect(transactionLogs.map((file) => file.lines)).toEqual(files.map((file) => file.length - 1))
    const tidsOf = (file: string[]) => new Set(file.slice(1).map((text) => text.split(',')[0]))
    const seen = files.map(tidsOf)
    expect(seen.reduce((sum, tids) => sum + tids.size, 0)).toBe(sizes.length)
    expect(files.every(([first]) => first === header)).toBe(true)
    const all = sizes.reduce((sum, size) => sum + size, 0)
    expect(counters).toEqual({ capture: all })
    expect(totals).toMatchObject([{ currency: 'NOK', amount: String(all * 1000) }])
  },
)

test('the same lines make the same file, and a writer that breaks off leaves nothing behind', () => {
  const some = () => [line('a'), line('b')]
  const before = new Set(readdirSync(directory))
  const [one] = write(some).transactionLogs
  expect(write(some).transactionLogs).toEqual([one])
  const known = readdirSync(directory)
  expect(known.filter((name) => !before.has(name))).toHaveLength(1)
  let reads = 0
  function* breaking() {
    yield line('a')
    // After they are counted.
    if ((reads += 1) > 1) throw new Error('the disk is gone')
  }
  expect(() => write(breaking)).toThrow('the disk is gone')
  expect(readdirSync(directory)).toEqual(known)
})

test.runIf(process.platform === 'linux' && getPriority() < 10)(
  'a log is written after requests, but somebody who waits for it on a busy machine still gets it',
  async () => {
    const writer = makeLogWriter(mkdtempSync(join(directory, 'logs-')))
    onTestFinished(writer.close)
    await writer.write(jobOf(directory, 1))
    expect(Math.max(...nicenessOfThreads())).toBe(getPriority() + 10)
  },
)

test('given read models that are not folded as far as the lines of a log go, then it is not written', async () => {
  const logs = mkdtempSync(join(directory, 'logs-'))
  const writer = makeLogWriter(logs)
  onTestFinished(writer.close)
  const stale = writer.write(jobOf(directory, 10, undefined, undefined, 10))
  await expect(stale).rejects.toThrow('folded to 10, not to 11')
  expect(readdirSync(logs)).toEqual([])
})

test('a writer is closed even when its folder is none any more', async () => {
  const logs = mkdtempSync(join(directory, 'logs-'))
  const writer = makeLogWriter(logs)
  rmSync(logs, { recursive: true })
  writeFileSync(logs, '')
  const written = expect(writer.write(jobOf(directory, 1))).rejects.toThrow()
  await writer.close()
  await written
})

test(
  'a writer that is closed amid a file leaves nothing of it behind',
  { tags: 'long' },
  async () => {
    const logs = mkdtempSync(join(directory, 'logs-'))
    const begun = watch(logs)[Symbol.asyncIterator]()
    const writer = makeLogWriter(logs)
    const written = writer.write(jobOf(directory, 400_000))
    const waiting = writer.write(jobOf(directory, 1))
    const outcome = Promise.all(
      [written, waiting].map((log) => expect(log).rejects.toThrow('the log writer is closed')),
    )
    await begun.next()
    await writer.close()
    await outcome
    await begun.return?.()
    expect(readdirSync(logs).filter((name) => name.endsWith('.draft'))).toEqual([])
  },
)

test('given a log that cannot get its name, then it says why, and leaves nothing open or behind', () => {
  const logs = mkdtempSync(join(directory, 'logs-'))
  const name = createHash('sha256').update('columns\na line\n').digest('hex')
  mkdirSync(join(logs, `${name}.csv`))
  const draft = openDraft(join(logs, 'some.draft'), 'columns')
  draft.add('a line')
  expect(() => draft.finish()).toThrow('EISDIR')
  draft.abandon()
  expect(readdirSync(logs)).toEqual([`${name}.csv`])
})

test('given drafts of processes that were killed, then those that nobody can be at work on go', async () => {
  const logs = mkdtempSync(join(directory, 'left-'))
  for (const name of ['old.draft', 'new.draft', 'old.csv']) writeFileSync(join(logs, name), '')
  const twoDaysAgo = Date.now() / 1000 - 2 * 86_400
  for (const name of ['old.draft', 'old.csv']) utimesSync(join(logs, name), twoDaysAgo, twoDaysAgo)
  await makeLogWriter(logs).close()
  expect(readdirSync(logs).sort()).toEqual(['new.draft', 'old.csv'])
})
