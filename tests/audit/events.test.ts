// @module-tag long
import { hostname, userInfo } from 'node:os'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startAuditedService, type AuditedService } from './audited-service.ts'

let service: AuditedService
beforeAll(async () => {
  service = await startAuditedService()
})
afterAll(() => service.remove())

test('given a command, then its events name the account and the machine', async () => {
  await service.run('pos', 'add', 'sandbox', 'till-9', '--name', 'Till 9')
  const { username: account } = userInfo()
  expect((await service.newest('PosRegistered')).metadata).toMatchObject({
    actor: 'operator',
    operator: { account, machine: hostname() },
  })
})

test('given settlements by hand, of the sandbox and due ones, then events tell which', async () => {
  const settled = async (settle: () => Promise<unknown>) => {
    await service.capture()
    await settle()
    const { metadata, data } = await service.newest('SettlementStarted')
    return [metadata.actor, metadata.operator?.machine, (data as { dueAt: number | null }).dueAt]
  }
  const clock = (advance_seconds: number) =>
    service.world('POST', '/sandbox/v1/clock/', { advance_seconds })
  expect(await settled(() => service.run('settle', 'sandbox'))).toEqual([
    'operator',
    hostname(),
    null,
  ])
  expect(
    await settled(() => service.world('POST', '/sandbox/v1/settlement/', { merchant: 'sandbox' })),
  ).toEqual(['sandbox', undefined, null])
  expect(await settled(() => clock(7 * 86_400))).toEqual(['daybook', undefined, expect.any(Number)])
})

test('events are chosen by time, type, merchant and actor; times may be ISO 8601', async () => {
  const { event } = await service.refund({})
  const events = async (...words: string[]) =>
    (await service.run('audit', 'events', ...words)).output
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line))
  const all = await events()
  const positions = (some: { position: number }[]) => some.map(({ position }) => position)
  const at = (time: number) => new Date(time).toISOString()
  const own = ['--type', 'PaymentRefunded', '--merchant', 'sandbox', '--actor', 'user:admin']
  const last = ['--from', at(event.metadata.at), '--to', at(event.metadata.at + 1)]
  expect(positions(await events(...own, ...last))).toEqual([event.position])
  expect(await events('--merchant', 'nobody')).toEqual([])
  expect(await events('--to', '2020-01-01')).toEqual([])
  expect(positions(await events('--from', at(event.metadata.at)))).toContain(event.position)
  expect(positions(await events('--actor', `operator:${userInfo().username}`))).toEqual(
    positions(all.filter(({ metadata }) => metadata.actor === 'operator')),
  )
  const [stored, iso] = [
    await events('--type', 'PaymentAuthorized'),
    await events('--type', 'PaymentAuthorized', '--iso'),
  ]
  expect(iso.length).toBeGreaterThan(0)
  expect(iso.map(({ metadata }) => metadata.at)).toEqual(
    stored.map(({ metadata }) => at(metadata.at)),
  )
  expect(iso.map(({ data }) => data.expiresAt)).toEqual(
    stored.map(({ data }) => at(data.expiresAt)),
  )
  expect(iso.map(({ data }) => data.additionalAmount)).toEqual(
    stored.map(({ data }) => data.additionalAmount),
  )
  expect((await service.run('audit', 'events', '--type', 'PaymentEaten')).errors).toBe(
    'there is no event PaymentEaten: audit catalogue lists them all\n',
  )
})
