import { getTableName } from 'drizzle-orm'
import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { appendTo, eventsOf, rewrite, verifyIn } from '../../harness/altered-log.ts'
import { openPlace } from '../../harness/ledger-service.ts'
import { idIn } from '../../domain/stream.ts'
import { parseEvent, type DomainEvent } from '../../domain/events.ts'
import { leafOf } from '../../infrastructure/event-store/event-entry.ts'
import { makeProjector } from '../../infrastructure/read-models/projector.ts'
import { openReadModelFile } from '../../infrastructure/read-models/read-model-file.ts'
import { readSettings } from '../../infrastructure/settings.ts'
import Database from '../../infrastructure/sqlite.ts'
import { openStoreToRead } from '../../infrastructure/stores.ts'
import { projections } from '../../projections/read-models.ts'

let original: string
let tid: string

/** A shop's days: captures, refunds, releases, expiries, reports, settlements and callbacks. */
beforeAll(async () => {
  const place = await openPlace()
  original = place.directory
  tid = await place.authorize({ amount: '100.00' })
  await place.capture(tid, { capture_id: 'a', amount: '40.00', currency: 'NOK' })
  await place.refund(tid, { refund_id: 'r', amount: '10.00', currency: 'NOK' })
  await place.close(1)
  await place.sandbox('settlement/', { merchant: 'sandbox' })
  const credit = await place.authorize({ amount: '50.00', credit: true })
  await place.capture(credit)
  await place.close(2)
  await place.authorize({ amount: '70.00' })
  await place.sandbox('clock/', { advance_seconds: 300_000 })
  await place.sandbox('settlement/', { merchant: 'sandbox' })
  await place.stop()
})
afterAll(() => rmSync(original, { recursive: true }))

/** A copy of the log with all that is derived from it. */
const copied = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'daybook-faults-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  cpSync(original, folder, { recursive: true })
  return folder
}

const only = (folder: string, type: DomainEvent['type'], index = 0) => {
  const found = eventsOf(folder, type)[index]
  if (!found) throw new Error(`there is no ${type} ${index}`)
  return found
}

const first = async (folder: string) => {
  const { holds, problems } = await verifyIn(folder)
  return { holds, ...problems[0] }
}

test('the log of a shop holds', async () => {
  expect(await verifyIn(copied())).toMatchObject({ holds: true, problems: [], hasKeys: true })
})

describe('given a fault,', () => {
  test('a fee that is one øre off is named', async () => {
    const folder = copied()
    const { position } = only(folder, 'PaymentCaptured')
    const dearer = (data: any) => ({ ...data, charge: { ...data.charge, fee: 181 } })
    rewrite(folder, position, { data: dearer })
    expect(await first(folder)).toEqual({
      ...{ holds: false, check: 'rules', position, type: 'PaymentCaptured' },
      ...{ stream: `payment-${tid}`, revision: 2 },
      problem: 'its charge.fee is 181, and by the rules it is 180',
    })
  })

  test('a capture of more than was authorised is named', async () => {
    const folder = copied()
    const { position } = only(folder, 'PaymentCaptured')
    rewrite(folder, position, { data: (data) => ({ ...data, amount: 10_001 }) })
    expect(await first(folder)).toMatchObject({
      ...{ holds: false, check: 'rules', position, stream: `payment-${tid}` },
      problem: 'the rules refuse it: capture exceeds authorization',
    })
  })

  test('a report that is closed twice, so that its lines stand in two, is named', async () => {
    const folder = copied()
    const { data } = only(folder, 'ReportClosed')
    const again = { type: 'ReportClosed', data } as unknown as DomainEvent
    const position = await appendTo(folder, 'ledger-sandbox/default', again)
    expect(await first(folder)).toMatchObject({
      ...{ holds: false, check: 'books', position, stream: 'ledger-sandbox/default' },
      problem: 'report 1 is closed already: lines would stand in two reports',
    })
  })

  test('a report that counts a line of the one before is named', async () => {
    const folder = copied()
    const { position, data } = only(folder, 'ReportCompleted', 1)
    const counters = data['counters'] as { readonly capture: number }
    const twice = { ...counters, capture: counters.capture + 1 }
    rewrite(folder, position, { data: (before) => ({ ...before, counters: twice }) })
    expect(await first(folder)).toMatchObject({
      ...{ holds: false, check: 'books', position, stream: 'ledger-sandbox/default' },
      problem: 'its counters.capture is 2, and by the rules it is 1',
    })
  })

  test.each([
    ['recorded a millisecond early', 'metadata', 'at', /^it was recorded at .*\.\d{3}Z, before /],
    ['said to be a millisecond early', 'data', 'expiredAt', /^its expiredAt is \d+, and by the/],
  ] as const)('an expiry that is %s is named', async (_, part, member, problem) => {
    const folder = copied()
    const { position, data } = only(folder, 'PaymentAuthorizationExpired')
    const early = Number(data['expiredAt']) - 1
    rewrite(folder, position, { [part]: (before: object) => ({ ...before, [member]: early }) })
    expect(await first(folder)).toMatchObject({
      ...{ holds: false, check: 'rules', position, type: 'PaymentAuthorizationExpired' },
      problem: expect.stringMatching(problem),
    })
  })
})

/** Read models as a projection makes them that skips an event. */
const foldWithout = async (folder: string, skipped: number): Promise<void> => {
  const directory = join(folder, 'read-models')
  rmSync(directory, { recursive: true })
  const file = openReadModelFile(
    directory,
    projections.map(({ table }) => table),
  )
  const forgetful = projections.map((projection) => ({
    ...projection,
    apply: (...[row, event, key]: Parameters<typeof projection.apply>) =>
      getTableName(projection.table) === 'payments' && event.position === skipped
        ? row
        : projection.apply(row, event, key),
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
