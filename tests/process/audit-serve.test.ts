import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { EventStoreDBClient, jsonEvent } from '@eventstore/db-client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { operatorHere } from '../../harness/operator.ts'
import { startCommand } from '../../harness/service-process.ts'
import { openSqliteEventStore } from '../../infrastructure/event-store/sqlite-event-store.ts'
import { readSettings } from '../../infrastructure/settings.ts'
import { securityLogFiles } from '../../infrastructure/logs/security-log.ts'
import { makeCertificates } from './certificates.ts'

describe('audit serve', () => {
  const folder = mkdtempSync(join(tmpdir(), 'daybook-serve-'))
  const data = join(folder, 'data')
  const file = (name: string) => join(folder, name)
  const token = 'b'.repeat(32)
  let files: readonly string[]
  let authority: string

  beforeAll(async () => {
    authority = makeCertificates(folder).authority
    mkdirSync(data)
    const store = openSqliteEventStore(join(data, 'events.sqlite'))
    const id = '5f0b6c0e-9a3d-4b5e-8d1a-7c3f2e610001'
    await store.append('s-1', [{ id, type: 'Began', data: { n: 1 }, metadata: {} }], -1)
    await store.close()
    writeFileSync(file('tokens'), `kim ${token}\n`)
    writeFileSync(file('short'), 'kim secret\n')
    files = ['--cert', file('trusted.pem'), '--key', file('trusted.key')]
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  const withTokens = () => [...files, '--token-file', file('tokens')]

  test.each([
    [
      'without TLS on a public address',
      () => ['--insecure', '--host', '0.0.0.0'],
      /127\.0\.0\.1 alone/,
    ],
    ['without TLS on one of IPv6', () => ['--insecure', '--host', '::'], /127\.0\.0\.1 alone/],
    ['with nothing', () => [], /give --cert and --key, or --insecure/],
    [
      'with a short token',
      () => [...files, '--token-file', file('short')],
      /line 1 must be .* openssl/,
    ],
    [
      'with the key of another',
      () => [...withTokens(), '--key', file('authority.key')],
      /not a PEM certificate/,
    ],
    ['at no port', () => [...withTokens(), '--port', '65536'], /65536 is not a port/],
    ['at no host', () => [...withTokens(), '--host', 'no.such.host.invalid'], /no such host/],
    [
      'at the address of another',
      () => [...withTokens(), '--host', '192.0.2.1'],
      /no such address/,
    ],
  ])('does not start %s', async (_, words, why) => {
    const run = operatorHere(readSettings({ DATA_DIR: data }))
    const { code, errors } = await run('audit', 'serve', ...words())
    expect(errors).toMatch(why)
    expect(code).not.toBe(0)
  })

  test('does not start on a log of EventStoreDB, or on none', async () => {
    const other = readSettings({ DATA_DIR: data, EVENT_STORE: 'esdb://127.0.0.1:1?tls=false' })
    expect((await operatorHere(other)('audit', 'serve', '--insecure')).errors).toMatch(
      /connect to it/,
    )
    const none = readSettings({ DATA_DIR: file('none') })
    expect((await operatorHere(none)('audit', 'serve', '--insecure')).errors).toMatch(
      /no log in it/,
    )
  })

  test('serves to who has a token until it is stopped, and records it', async () => {
    const words = ['audit', 'serve', '--port', '0', ...withTokens()]
    const child = startCommand(words, { DATA_DIR: data })
    const [line] = await once(createInterface({ input: child.stdout! }), 'line')
    const [, port] = /^listening on esdb:\/\/127\.0\.0\.1:(\d+), read-only$/.exec(line) ?? []
    const client = EventStoreDBClient.connectionString(
      `esdb://kim:${token}@127.0.0.1:${port}?tlsCAFile=${authority}`,
    )
    const read = []
    for await (const { event } of client.readStream('s-1')) read.push(event?.data)
    expect(read).toEqual([{ n: 1 }])
    const append = client.appendToStream('s-1', jsonEvent({ type: 'Forged', data: {} }))
    await expect(append).rejects.toMatchObject({ type: 'access-denied' })
    child.kill('SIGTERM')
    expect(await once(child, 'exit')).toEqual([0, null])
    await client.dispose()
    const lines = securityLogFiles(data).flatMap(({ file: of }) =>
      readFileSync(of, 'utf8')
        .trimEnd()
        .split('\n')
        .map((one) => JSON.parse(one)),
    )
    expect(lines).toContainEqual(
      expect.objectContaining({ type: 'auditor_read', actor: 'auditor:kim', about: 's-1' }),
    )
    expect(lines).toContainEqual(
      expect.objectContaining({
        type: 'operator_command',
        about: 'audit serve --port --cert --key --token-file',
      }),
    )
  })
})
