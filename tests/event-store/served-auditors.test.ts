import { join } from 'node:path'
import { AccessDeniedError, END } from '@eventstore/db-client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { SecurityEvent } from '../../application/security-log.ts'
import type { EventLog } from '../../infrastructure/event-store/sqlite-event-log.ts'
import { openSqliteEventStore } from '../../infrastructure/event-store/sqlite-event-store.ts'
import { startAuditedService, type AuditedService } from '../audit/audited-service.ts'
import { allOf, startServedPlace, type Served } from './served-place.ts'

const place = startServedPlace()
const { serve, clientOf } = place
let service: AuditedService
let log: EventLog
let server: Served
const recorded: SecurityEvent[] = []

beforeAll(async () => {
  service = await startAuditedService()
  const store = openSqliteEventStore(join(service.folder, 'events.sqlite'), 'read')
  log = store.log
  server = await serve(store, (event) => void recorded.push(event))
})
afterAll(async () => {
  server.stop()
  await log.close()
  await service.remove()
  place.remove()
})

test('an auditor with a token of the log may read, until it is disabled', async () => {
  const added = await service.run('--json', 'auditor', 'add', 'eve', '--name', 'Eve', '--token')
  const client = clientOf(server.port, `eve:${JSON.parse(added.output).token}@`)
  expect(await allOf(client.readAll({ maxCount: 2 }))).toHaveLength(2)
  expect(recorded.at(-1)).toMatchObject({ type: 'auditor_read', actor: 'auditor:eve' })
  await service.run('auditor', 'disable', 'eve')
  await expect(allOf(client.readAll())).rejects.toThrow(AccessDeniedError)
})

test('a subscription ends once its auditor is disabled, and gets nothing more', async () => {
  const added = await service.run('--json', 'auditor', 'add', 'ann', '--name', 'Ann', '--token')
  const client = clientOf(server.port, `ann:${JSON.parse(added.output).token}@`)
  const ofAll = client.subscribeToAll({ fromPosition: END })
  const ofStream = client.subscribeToStream('payment-none')
  const types: unknown[] = []
  ofAll.on('data', ({ event }) => void types.push(event?.type))
  const ends = [ofAll, ofStream].map((one) => new Promise((ended) => one.once('error', ended)))
  await Promise.all(
    [ofAll, ofStream].map((one) => new Promise((done) => one.once('confirmation', done))),
  )
  await service.run('auditor', 'disable', 'ann')
  for (const error of await Promise.all(ends)) expect(error).toBeInstanceOf(AccessDeniedError)
  expect(types).not.toContain('AuditorDisabled')
  expect(
    recorded.filter(({ actor, type }) => actor === 'auditor:ann' && type === 'refused'),
  ).toEqual([
    expect.objectContaining({ reason: 'the auditor may read no more' }),
    expect.anything(),
  ])
})
