// @module-tag long
import { getTableName } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/better-sqlite3'
import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parseEvent } from '../../domain/events.ts'
import { idIn } from '../../domain/stream.ts'
import { auditJournal } from '../../audit/verify/audit-read-models.ts'
import { gatherProblems } from '../../audit/verify/problems.ts'
import { leafOf } from '../../infrastructure/event-store/event-entry.ts'
import { makeProjector } from '../../infrastructure/read-models/projector.ts'
import { openReadModelFile } from '../../infrastructure/read-models/read-model-file.ts'
import { readSettings } from '../../infrastructure/settings.ts'
import Database from '../../infrastructure/sqlite.ts'
import { openStoreToRead } from '../../infrastructure/stores.ts'
import { projections } from '../../projections/read-models.ts'
import { first, only, shopLog } from './shop-log.ts'

const { copied } = shopLog()

/** Read models made by a projection that skips an event. */
const foldWithout = async (folder: string, skipped: number): Promise<void> => {
  const directory = join(folder, 'read-models')
  rmSync(directory, { recursive: true })
  const file = openReadModelFile(
    directory,
    projections.map(({ table }) => table),
  )
  const forgetful = projections.map((projection) => ({
    ...projection,
    apply: (...given: Parameters<typeof projection.apply>) =>
      getTableName(projection.table) === 'payments' && given[1].position === skipped
        ? given[0]
        : projection.apply(...given),
  }))
  const store = await openStoreToRead(readSettings({ DATA_DIR: folder }))
  const projector = makeProjector(file, forgetful)
  for await (const batch of store.readAll(0))
    projector.apply(batch.map(parseEvent), batch.map(leafOf))
  await store.close()
  file.sqlite.close()
}

const live = (folder: string): Database.Database => {
  const directory = join(folder, 'read-models')
  const name = readdirSync(directory).find((file) => file.endsWith('.sqlite')) ?? ''
  return new Database(join(directory, name))
}

test('given a journal that owes a merchant too much, then that is reported', () => {
  const sqlite = live(copied())
  const wrong = "UPDATE journal_balances SET balance = '-7' WHERE account = 'merchant_payable'"
  sqlite.exec(wrong)
  const problems = gatherProblems()
  auditJournal({ sqlite, db: drizzle(sqlite) }, problems)
  sqlite.close()
  expect(problems.found().problems.map(({ problem }) => problem)).toEqual([
    expect.stringMatching(/^the journal is off by -?\d+ minor units of NOK$/),
    'the journal owes sandbox 7 minor units of NOK, and its unsettled lines add up to 0',
  ])
})

describe('given read models that are not what the log gives,', () => {
  test('a projection that skips one event is named, with the row and the event', async () => {
    const folder = copied()
    const { position } = only(folder, 'PaymentCaptured', 1)
    await foldWithout(folder, position)
    const { problem, ...named } = await first(folder)
    const place = { holds: false, check: 'read models', position, type: 'PaymentCaptured' }
    expect(named).toMatchObject(place)
    expect(problem).toBe(
      `in the read models, amountLeft in the row ${idIn(named.stream ?? '')} of the table ` +
        'payments is 5000; the log gives 0; this event touched that row last',
    )
  })

  test.each([
    [
      'a changed sum',
      "UPDATE journal_balances SET balance = '1' WHERE account = 'fee_income'",
      /balance in the row fee_income NOK  of the table journal_balances is "1"; the log gives /,
    ],
    ['a row too many', "INSERT INTO scans SELECT 'x', 'x', 'x', '', 'x', '', 1, 1", /^the rea/],
    ['a time elsewhere in the log', 'UPDATE moments SET position = position - 1', /^in the rea/],
    ['a row too few', 'DELETE FROM transaction_lines WHERE position > 20', /^the read models lack/],
  ])('%s is named', async (_, sql, problem) => {
    const folder = copied()
    const file = live(folder)
    file.exec(sql)
    file.close()
    expect(await first(folder)).toMatchObject({
      ...{ holds: false, check: 'read models', problem: expect.stringMatching(problem) },
    })
  })
})
