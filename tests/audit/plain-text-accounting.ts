// Runs hledger and ledger on a file; both are optional.
import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { decimalsOf } from '../../domain/money/currency.ts'
import { formatAmount } from '../../domain/money/money.ts'

/** `liabilities:merchant_payable:shop` and similar, summed over merchants. */
export const added = (rows: readonly (readonly [string, string, string])[]): string[] => {
  const sums = new Map<string, bigint>()
  for (const [name, currency, amount] of rows) {
    const [whole = '', fraction = ''] = amount.split('.')
    const key = `${name.split(':')[1]} ${currency}`
    const minor = BigInt(whole + fraction.padEnd(decimalsOf(currency), '0'))
    sums.set(key, (sums.get(key) ?? 0n) + minor)
  }
  return [...sums]
    .flatMap(([key, sum]) => {
      const currency = key.split(' ')[1] ?? ''
      return sum === 0n ? [] : `${key} ${formatAmount(String(sum), currency)}`
    })
    .sort()
}

export const run = (program: string, ...words: string[]): string => {
  const { stdout, stderr, status } = spawnSync(program, words, {
    encoding: 'utf8',
    env: { ...process.env, LC_ALL: 'C.UTF-8' },
  })
  expect([stderr, status]).toEqual(['', 0])
  return stdout
}

const without = (program: string): string =>
  spawnSync(program, ['--version']).error
    ? `: skipped, ${program} is not installed (apt-get install ${program})`
    : ''

/** Runs if the program is installed; otherwise the title says why it is skipped. */
export const testWith = (program: string, title: string, body: () => void): void =>
  test.skipIf(without(program) !== '')(title + without(program), body)
