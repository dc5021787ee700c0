import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { paymentActions } from '../http/merchant/payment-update.ts'
import { operationsFile, printedClientOperations } from '../docs/client-operations.ts'
import { operationsPage, printedOperations } from '../docs/tables.ts'
import { printedTexts, textsFile } from '../docs/texts.ts'

test('settings and commands are those of the code (`npm run docs` prints them)', async () => {
  expect(operationsPage).toBe(await printedOperations())
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
