import {
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import {
  buildReadModelFile,
  openReadModelFile,
} from '../../infrastructure/read-models/read-model-file.ts'
import Database from '../../infrastructure/sqlite.ts'
import { projections } from '../../projections/read-models.ts'

const folder = mkdtempSync(join(tmpdir(), 'daybook-read-models-'))

afterAll(() => rmSync(folder, { recursive: true }))

/** File names of another version of the code. */
const older = (generation: number): string => `read-models-0123456789abcdef-${generation}.sqlite`

/** A file of another version, opened by its process. */
const atWorkOn = (file: string) => {
  const sqlite = new Database(file)
  sqlite.pragma('journal_mode = WAL')
  sqlite.exec('CREATE TABLE IF NOT EXISTS one (number INTEGER)')
  sqlite.exec('INSERT INTO one VALUES (1)')
  return sqlite
}

const foreignIn = (directory: string) =>
  readdirSync(directory)
    .filter((file) => file.includes('0123456789abcdef'))
    .sort()

const lastUsedBefore = (directory: string, ...names: readonly string[]): void => {
  const day = Date.now() / 1_000 - 86_401
  for (const path of names.flatMap((name) =>
    ['', '-wal'].map((end) => join(directory, name + end)),
  ))
    if (existsSync(path)) utimesSync(path, day, day)
}

const freshDirectory = (): string => mkdtempSync(join(folder, 'place-'))

test('read models of other versions go, but not from under a process at work on them', () => {
  const directory = freshDirectory()
  const inUse = atWorkOn(join(directory, older(1)))
  const building = atWorkOn(
    join(directory, `${older(2)}.5f0c1d9e-6a54-4c0a-9d5e-0d1a7c3f2e61.building`),
  )
  atWorkOn(join(directory, older(3))).close()
  writeFileSync(join(directory, `${older(4)}-wal`), '')
  writeFileSync(join(directory, older(5)), 'this is no database at all'.repeat(99))
  const file = openReadModelFile(directory, [])
  file.removeOthers()
  // A day after their last use, for an upgrade may be taken back.
  expect(foreignIn(directory)).toContain(older(3))
  lastUsedBefore(directory, older(3), older(4), older(5))
  file.removeOthers()
  const namesOf = (name: string) => [name, `${name}-shm`, `${name}-wal`]
  expect(foreignIn(directory)).toEqual([
    ...namesOf(older(1)),
    ...namesOf(`${older(2)}.5f0c1d9e-6a54-4c0a-9d5e-0d1a7c3f2e61.building`),
  ])
  expect(inUse.prepare('SELECT number FROM one').pluck().all()).toEqual([1])
  inUse.exec('INSERT INTO one VALUES (2)')

  inUse.close()
  building.close()
  lastUsedBefore(directory, older(1))
  file.removeOthers()
  expect(foreignIn(directory)).toEqual([])
  expect(file.sqlite.prepare('SELECT position FROM checkpoint').pluck().get()).toBe(0)
  file.sqlite.close()
})

test('other files beside the read models are kept, and do no harm', () => {
  const directory = freshDirectory()
  const folders = ['read-models-backup', older(1), `${older(2)}-wal`]
  for (const name of folders) mkdirSync(join(directory, name))
  const files = [`${older(3)}.bak`, `copy-of-${older(4)}`, 'read-models-notes.sqlite']
  for (const name of files) writeFileSync(join(directory, name), 'kept')
  const file = openReadModelFile(directory, [])
  file.removeOthers()
  expect(readdirSync(directory)).toEqual(expect.arrayContaining([...folders, ...files]))
  file.sqlite.close()
})

test('a rebuilt one comes after those begun meanwhile, and takes the place of none', () => {
  const directory = freshDirectory()
  const first = openReadModelFile(directory, [])
  const rebuilt = buildReadModelFile(directory, [])
  const begun = first.beginAnew()
  rebuilt.finish()
  const files = [first, begun].map(({ sqlite }) => sqlite.name)
  const newest = openReadModelFile(directory, [])
  expect(files).not.toContain(newest.sqlite.name)
  expect(readdirSync(directory).filter((name) => name.endsWith('.sqlite'))).toHaveLength(3)
  begun.sqlite.close()
  newest.sqlite.close()
})

describe('read models that are damaged are left for new ones', () => {
  const tables = projections.map(({ table }) => table)

  const open = (directory: string) => {
    const file = openReadModelFile(directory, tables)
    onTestFinished(() => void file.sqlite.close())
    return file
  }

  const overwrite = (file: string): void => {
    const descriptor = openSync(file, 'r+')
    writeSync(descriptor, 'this is no database at all'.repeat(9), 0)
    closeSync(descriptor)
  }

  test.each<readonly [string, (file: string) => void]>([
    ['their header was overwritten', overwrite],
    ['a half of them is missing', (file) => truncateSync(file, statSync(file).size / 2)],
    ['their last page is missing', (file) => truncateSync(file, statSync(file).size - 4096)],
    ['little more than their header is left', (file) => truncateSync(file, 5000)],
    ['less than their header is left', (file) => truncateSync(file, 50)],
  ])('when %s, and all open the same', (_, damage) => {
    const directory = freshDirectory()
    const before = openReadModelFile(directory, tables)
    before.sqlite.exec('UPDATE checkpoint SET position = 7')
    before.sqlite.close()
    damage(before.sqlite.name)
    const after = open(directory)
    expect(after.sqlite.name).not.toBe(before.sqlite.name)
    expect(after.sqlite.prepare('SELECT position FROM checkpoint').pluck().get()).toBe(0)
    expect(open(directory).sqlite.name).toBe(after.sqlite.name)
    after.removeOthers()
    expect(readdirSync(directory).filter((name) => name.endsWith('.sqlite'))).toHaveLength(1)
  })

  test('but of those that are empty the file is used', () => {
    const directory = freshDirectory()
    const before = openReadModelFile(directory, tables)
    before.sqlite.exec('UPDATE checkpoint SET position = 7')
    before.sqlite.close()
    truncateSync(before.sqlite.name, 0)
    const after = open(directory)
    expect(after.sqlite.name).toBe(before.sqlite.name)
    expect(after.sqlite.prepare('SELECT position FROM checkpoint').pluck().get()).toBe(0)
  })
})
