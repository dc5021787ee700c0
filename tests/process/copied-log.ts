import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { EventStore } from '../../application/event-store.ts'
import { comparedTables, comparePages, type Difference } from '../../audit/verify/compare-rows.ts'
import { freshReadModels } from '../../audit/verify/report-difference.ts'
import { operatorHere } from '../../harness/operator.ts'
import { readSettings } from '../../infrastructure/settings.ts'
import Database from '../../infrastructure/sqlite.ts'
import { startProtocolPlace } from '../event-store/protocol-place.ts'

export const newFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'daybook-copy-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return folder
}

export const emptyServer = async () => {
  const place = await startProtocolPlace()
  onTestFinished(place.remove)
  return place
}

const daybook = operatorHere(readSettings({ DATA_DIR: join(tmpdir(), 'daybook-nowhere') }))

export const copy = async (from: string, to: string, ...options: readonly string[]) => {
  const words = ['copy', '--from', from, '--to', to, ...options]
  const { code, output, errors } = await daybook('--json', ...words)
  return { code, errors, told: JSON.parse(output || 'null') }
}

export const rowsIn = (folder: string, columns = '') => {
  const file = new Database(join(folder, 'events.sqlite'), { readonly: true })
  const rows = file
    .prepare(
      `SELECT position, name, revision, hex(events.id), type, data, metadata ${columns}
       FROM events JOIN streams ON streams.id = events.stream ORDER BY position`,
    )
    .all()
  file.close()
  return rows
}

export const treeOf = async (settings: Parameters<typeof readSettings>[0]) =>
  JSON.parse((await operatorHere(readSettings(settings))('audit', 'tree')).output)

type Store = Pick<EventStore, 'readAll' | 'head'>

/** Folds two logs and compares every row of every table; answers the number of rows that agree. */
export const compareReadModels = async (one: Store, other: Store) => {
  const [ofOne, ofOther] = [freshReadModels(one), freshReadModels(other)]
  try {
    await ofOne.foldTo(await one.head())
    await ofOther.foldTo(await other.head())
    let rows = 0
    let difference: Difference | undefined
    for (const table of comparedTables) {
      const compare = comparePages(ofOne.file, ofOther.file, table)
      let page: ReturnType<typeof compare> | undefined
      do {
        page = compare(page?.last, 1_000)
        rows += page.rows
        difference ??= page.difference
      } while (page.last && !difference)
    }
    return { rows, difference }
  } finally {
    ofOne.discard()
    ofOther.discard()
  }
}
