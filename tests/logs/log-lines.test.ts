// @module-tag long
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { authorizedPayment, paths, startService } from '../support/http-service.ts'
import { logLine } from '../../infrastructure/logs/log-line.ts'
import Database from '../../infrastructure/sqlite.ts'

const fieldsIn = (lines: readonly string[]): Set<string> =>
  new Set(lines.flatMap((line) => Object.keys(logLine.parse(JSON.parse(line)))))

test('each line of a run is one JSON object of the documented fields', async () => {
  const service = await startService({ LOG_LEVEL: 'trace' })
  onTestFinished(() => service.stop())
  const { call, pos1, logged } = service
  const path = await authorizedPayment(service)
  await pos1('PUT', path, { action: 'capture' })
  await pos1('GET', `${paths.pointsOfSale}no-such-till/`)
  await call('GET', '/merchant/v1/pos/', {
    headers: { 'X-Service-Merchant': 'x', Authorization: 'SECRET y' },
  })
  const receiver = createServer((_, answer) => answer.writeHead(410).end())
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void receiver.close())
  const { port } = receiver.address() as AddressInfo
  await call('POST', '/sandbox/v1/callback/', {
    body: { callback_uri: `http://127.0.0.1:${port}/` },
  })
  await call('POST', '/sandbox/v1/callback/', { body: { callback_uri: 'http://127.0.0.1:9/' } })
  // What cannot be read is a bug, with its stack.
  const file = new Database(service.core.readModelFile)
  file.exec(`UPDATE reports SET completion = 'no JSON'; DELETE FROM points_of_sale`)
  file.exec(`UPDATE transaction_lines SET currency = 'none'`)
  file.close()
  await pos1('PUT', '/merchant/v1/ledger/default/report/1/', {})
  await call('POST', paths.clock, { body: { advance_seconds: 60 } })
  await expect.poll(() => logged.join('\n')).toContain('"result":"gone"')
  for (const line of logged) {
    expect(line.endsWith('}\n') && line.indexOf('\n') === line.length - 1).toBe(true)
    expect(line).not.toMatch(/"(?:pid|hostname)":\d|sandbox-secret/)
  }
  const seen = fieldsIn(logged)
  const wanted = ['level', 'time', 'msg', 'requestId', 'reason', 'callback', 'host', 'error']
  for (const field of wanted) expect([...seen]).toContain(field)
})

test('a refused request has its id, reason, route and who it claims to be', async () => {
  const service = await startService()
  onTestFinished(() => service.stop())
  const { headers } = await service.pos1('GET', `${paths.pointsOfSale}no-such-till/`)
  const line = service.logged
    .map((text) => logLine.parse(JSON.parse(text)))
    .find(({ status }) => status === 404)
  expect(line).toMatchObject({
    ...{ requestId: headers['x-request-id'], method: 'GET', path: '/merchant/v1/pos/:pos_id/' },
    ...{ reason: 'resource_is_unknown', merchant: 'sandbox', user: 'pos1', msg: 'refused' },
  })
})
