import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { expect, test } from 'vitest'
import { paymentActions } from '../http/merchant/payment-update.ts'
import { operationsFile, printedClientOperations } from '../docs/client-operations.ts'
import {
  auditorsPage,
  logLinesPage,
  metricsPage,
  operationsPage,
  printedAuditors,
  printedLogLines,
  printedMetrics,
  printedOperations,
} from '../docs/tables.ts'
import { printedTexts, textsFile } from '../docs/texts.ts'

test('settings and commands are those of the code (`npm run docs` prints them)', async () => {
  expect(operationsPage).toBe(await printedOperations())
})

test('the views of queries are those of the code (`npm run docs` prints them)', async () => {
  expect(auditorsPage).toBe(await printedAuditors())
})

test('metrics and fields of log lines are those of the code (`npm run docs`)', async () => {
  expect(metricsPage).toBe(await printedMetrics())
  expect(logLinesPage).toBe(await printedLogLines())
})

test('operations of the client are those of the routes (`npm run docs` prints them)', async () => {
  expect(operationsFile).toBe(await printedClientOperations())
})

test('the types of texts are those of the English ones (`npm run docs` prints them)', async () => {
  expect(textsFile).toBe(await printedTexts())
})

test('the guide says what each action of a payment does, and what it does when sent again', () => {
  const guide = (name: string) => readFileSync(`docs/guide/${name}.md`, 'utf8')
  const rows = guide('payments')
    .split('\n')
    .filter((line) => line.startsWith('| `'))
  const told = rows.map((row) => row.split('|')[1] ?? '').join(' ')
  for (const action of paymentActions) {
    expect([action, told]).toEqual([action, expect.stringContaining(`\`${action}\``)])
    expect(guide('idempotency')).toMatch(new RegExp(`\\b${action}\\b`))
  }
})

test('each file of ours that is named in prose is there', () => {
  const files = execFileSync('git', ['ls-files'], { encoding: 'utf8' }).trim().split('\n')
  const names = new Set([...files, ...files.map((path) => basename(path))])
  const isThere = (path: string): boolean =>
    names.has(path) || files.some((file) => file.endsWith(`/${path}`))
  const prose = files.filter((path) => path.endsWith('.md') && path !== 'CHANGELOG.md')
  const missing = prose.flatMap((path) =>
    [...readFileSync(path, 'utf8').matchAll(/`([\w.][\w./-]*\.(?:ts|tsx|css))`/g)]
      .map(([, named = '']) => named.replace(/^(\.\.?\/)+/, ''))
      .filter((named) => !isThere(named))
      .map((named) => `${path}: ${named}`),
  )
  expect(missing).toEqual([])
})
