import Database from 'better-sqlite3'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { openReadModelFile } from '../infrastructure/read-model-file.ts'

const directory = mkdtempSync(join(tmpdir(), 'daybook-read-models-'))
afterAll(() => rmSync(directory, { recursive: true }))

/** A file of another version, as its process has it open. */
const older = (name: string) => {
  const sqlite = new Database(join(directory, name))
  sqlite.pragma('journal_mode = WAL')
  sqlite.exec('CREATE TABLE IF NOT EXISTS one (number INTEGER)')
  sqlite.exec('INSERT INTO one VALUES (1)')
  return sqlite
}

const foreign = () =>
  readdirSync(directory)
    .filter((file) => /older|left|broken/.test(file))
    .sort()

test('read models of other versions go, but not from under a process that is at work on them', () => {
  const inUse = older('read-models-older-1.sqlite')
  const building = older('read-models-older-2.sqlite.77.building')
  older('read-models-left-1.sqlite').close()
  writeFileSync(join(directory, 'read-models-left-2.sqlite-wal'), '')
  writeFileSync(
    join(directory, 'read-models-broken-1.sqlite'),
    'this is no database at all'.repeat(99),
  )
  const file = openReadModelFile(directory, [])
  file.removeOthers()
  const namesOf = (name: string) => [name, `${name}-shm`, `${name}-wal`]
  expect(foreign()).toEqual([
    ...namesOf('read-models-older-1.sqlite'),
    ...namesOf('read-models-older-2.sqlite.77.building'),
  ])
  expect(inUse.prepare('SELECT number FROM one').pluck().all()).toEqual([1])
  inUse.exec('INSERT INTO one VALUES (2)')

  inUse.close()
  building.close()
  file.removeOthers()
  expect(foreign()).toEqual([])
  expect(file.sqlite.prepare('SELECT position FROM checkpoint').pluck().get()).toBe(0)
  file.sqlite.close()
})
