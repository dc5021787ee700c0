import { expect, test } from 'vitest'
import { operationsPage, printedOperations } from '../docs/tables.ts'

test('settings and commands are those of the code (`npm run docs` prints them)', async () => {
  expect(operationsPage).toBe(await printedOperations())
})
