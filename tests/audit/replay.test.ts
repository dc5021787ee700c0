// @module-tag long
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, onTestFinished, test } from 'vitest'
import { operatorHere } from '../../harness/operator.ts'
import { readSettings } from '../../infrastructure/settings.ts'
import { only, shopLog } from './shop-log.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const { copied, tid } = shopLog()

const scratch = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'daybook-other-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return folder
}

const replay = async (path: string, ...words: string[]) => {
  const settings = readSettings({ DATA_DIR: copied() })
  return operatorHere(settings)('audit', 'replay', '--with', path, ...words)
}

/** A build that folds like this one, and then applies these statements. */
const buildThatDoes = (statements: string): string => {
  const folder = join(scratch(), 'dist')
  mkdirSync(join(folder, 'service'), { recursive: true })
  const program = join(root, 'dist/service/main.js')
  const code = `
import { execFileSync } from 'node:child_process'
import { createRequire } from 'node:module'
const Database = createRequire(${JSON.stringify(program)})('better-sqlite3')
const words = process.argv.slice(2)
const told = execFileSync(process.execPath, [${JSON.stringify(program)}, ...words])
const file = new Database(words.at(-1))
file.exec(${JSON.stringify(statements)})
file.close()
process.stdout.write(told)`
  writeFileSync(join(folder, 'service/main.js'), code)
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
  return folder
}

describe('given another build,', () => {
  test(
    'that folds alike, then nothing differs: its checkout or its dist is named',
    { tags: 'long' },
    async () => {
      const { code, output } = await replay(root)
      expect(output).toMatch(/No difference: \d+ rows in \d+ tables are the same\.\n$/)
      expect(code).toBe(0)
      const { code: ofDist, output: json } = await replay(join(root, 'dist'), '--json')
      expect(JSON.parse(json)).toMatchObject({ count: 0, tables_only_there: [] })
      expect(ofDist).toBe(0)
    },
  )

  test('that folds otherwise, then each table, row and column that differs is listed', async () => {
    const other = buildThatDoes(`
      UPDATE payments SET amountLeft = amountLeft + 1 WHERE tid = '${tid()}';
      UPDATE merchants SET data = json_set(data, '$.businessName', 'Other', '$.new', 1);
      DELETE FROM users WHERE stream = 'user-sandbox/pos1';
      CREATE TABLE gifts (id TEXT PRIMARY KEY NOT NULL) STRICT;
      ALTER TABLE reports ADD COLUMN tips INTEGER;
      DROP TABLE scans;`)
    const { code, output } = await replay(other)
    expect(output.split('\n').slice(1)).toEqual([
      '7 differences:',
      '',
      'table scans is only here',
      'table gifts is only there',
      'merchants (1 row): 2 differences',
      '  stream merchant-sandbox: data.businessName is "Sandbox Shop" here, "Other" there',
      '  stream merchant-sandbox: data.new is null here, 1 there',
      'payments (3 rows): 1 difference',
      `  tid ${tid()}: amountLeft is 0 here, 1 there`,
      'reports (2 rows): 0 differences',
      '  column tips is only there',
      'users (2 rows here, 1 there): 1 difference',
      '  stream user-sandbox/pos1: only here',
      '',
    ])
    expect(code).toBe(1)
  })

  test('with more differences than are wanted, then the rest is counted', async () => {
    const other = buildThatDoes('UPDATE payments SET amountLeft = amountLeft + 1')
    const { code, output } = await replay(other, '--json', '--limit', '1')
    const { count, tables } = JSON.parse(output)
    const ofPayments = tables.find(({ table }: { table: string }) => table === 'payments')
    expect({ code, count, listed: ofPayments.differences.length }).toEqual({
      ...{ code: 1, count: 3, listed: 1 },
    })
    expect(ofPayments.differences[0]).toMatchObject({ column: 'amountLeft' })
  })

  test('that cannot fold the log, then its error is printed', async () => {
    const folder = scratch()
    mkdirSync(join(folder, 'service'))
    const code = `process.stderr.write('event 7 cannot be read\\n'); process.exit(1)`
    writeFileSync(join(folder, 'service/main.js'), code)
    const told = await replay(folder)
    expect(told.output).toMatch(/cannot fold this log .*\nevent 7 cannot be read\n$/)
    expect(told.code).toBe(1)
  })

  test('that was never built, then it is said how to', async () => {
    const { code, errors } = await replay(scratch())
    expect(errors).toMatch(/contains no build: run npm ci and npm run build in that checkout\n$/)
    expect(code).toBe(1)
  })
})

const fees = (list: object): string => {
  const file = join(scratch(), 'fees.json')
  writeFileSync(file, JSON.stringify(list))
  return file
}

describe('given a file of fees,', () => {
  const shipped = async () => {
    const settings = readSettings({ DATA_DIR: copied() })
    return JSON.parse((await operatorHere(settings)('fees', 'list', '--json')).output)
  }

  test('with those that were set, then nothing differs', async () => {
    const { code, output } = await replay(fees(await shipped()), '--json')
    expect(JSON.parse(output)).toMatchObject({ count: 0, differences: [] })
    expect(code).toBe(0)
  })

  test('with others, then each payment and amount that would be another is listed', async () => {
    const [terms] = await shipped()
    const dearer = { ...terms, transaction_rate: '0.02', refunds_return_fees: true }
    const { code, output } = await replay(fees([dearer]), '--json')
    const { count, differences, sums } = JSON.parse(output)
    const folder = copied()
    const captured = only(folder, 'PaymentCaptured')
    const refunded = only(folder, 'PaymentRefunded')
    expect(differences.slice(0, 2)).toMatchObject([
      {
        ...{ event: captured.position, subject: tid(), part: 'a', amount: 'fee' },
        ...{ recorded: '1.80', otherwise: '2.60', currency: 'NOK' },
      },
      {
        ...{ event: refunded.position, subject: tid(), part: 'r', amount: 'fee' },
        ...{ recorded: '0.00', otherwise: '-0.65' },
      },
    ])
    const payouts = differences.filter(({ amount }: { amount: string }) => amount === 'payout')
    expect(payouts).toHaveLength(2)
    expect(count).toBe(differences.length)
    // Higher charges reduce the payout.
    const [{ charges, payouts: paid }] = sums
    const cents = (text: string): number => Math.round(Number(text) * 100)
    expect(cents(charges.otherwise) - cents(charges.recorded)).toBe(
      cents(paid.recorded) - cents(paid.otherwise),
    )
    expect(code).toBe(1)
  })

  test('of another merchant alone, then nothing differs', async () => {
    const [terms] = await shipped()
    const { code } = await replay(fees([{ ...terms, merchant: 'other', transaction_rate: '0.5' }]))
    expect(code).toBe(0)
  })

  test.each([
    [[], 'contains no fees: give a list in the format of daybook fees list --json'],
    [[{ merchant: 'a', currency: 'XXX' }], 'entry 1: XXX must be a current ISO 4217 code'],
    [[{ merchant: 'a', currency: 'NOK', transaction_rate: '2' }], 'entry 1: 2 must be a rate'],
    [[{ merchant: 'a', currency: 'NOK', rate: '0' }], 'entry 1: ✖ Unrecognized key: "rate"'],
  ])('that is %j, then it is said what is wrong with it', async (list, problem) => {
    const { code, errors } = await replay(fees(list))
    expect(errors).toContain(problem)
    expect(code).toBe(1)
  })
})
