import { expect, test } from 'vitest'
import { operationsFile, printedClientOperations } from '../docs/client-operations.ts'
import { operationsPage, printedOperations } from '../docs/tables.ts'

test('settings and commands are those of the code (`npm run docs` prints them)', async () => {
  expect(operationsPage).toBe(await printedOperations())
})

test('operations of the client are those of the routes (`npm run docs` prints them)', async () => {
  expect(operationsFile).toBe(await printedClientOperations())
})
