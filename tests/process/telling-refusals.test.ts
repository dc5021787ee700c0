import { rmSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newFolder } from '../../harness/in-process.ts'
import { startCommand } from '../../harness/service-process.ts'

const DATA_DIR = newFolder()

const secret = 'a-secret-nobody-has'

let raw = ''

let child: ReturnType<typeof startCommand>

let address = ''

beforeAll(async () => {
  child = startCommand(['serve'], { DATA_DIR, LOG_LEVEL: 'info' }, 'pipe')
  child.stderr!.on('data', (chunk: Buffer) => (raw += chunk.toString()))
  for await (const line of createInterface({ input: child.stdout! })) {
    address = /^listening on (.*)/.exec(line)?.[1] ?? ''
    if (address) break
  }
})

afterAll(() => {
  child.kill('SIGKILL')
  rmSync(DATA_DIR, { recursive: true })
})

/** The line about a request, once it is written. */
const lineOf = async ({ headers }: Response): Promise<object> => {
  const id = headers.get('x-request-id') ?? ''
  const isWhole = () =>
    raw
      .split('\n')
      .slice(0, -1)
      .find((line) => line.includes(id))
  while (!isWhole()) await fetch(`${address}/health/live`)
  return JSON.parse(isWhole()!)
}

test('given an unknown client or token, then the log has the reason and the caller', async () => {
  const asked = await fetch(`${address}/oauth2/token`, {
    method: 'POST',
    headers: { Authorization: `Basic ${btoa(`shop:${secret}`)}` },
    body: new URLSearchParams({ grant_type: 'refresh_token', refresh_token: secret }),
  })
  expect([asked.status, await lineOf(asked)]).toMatchObject([
    401,
    {
      msg: 'refused',
      reason: 'invalid_client: Client authentication failed.',
      client: 'shop',
      address: '127.0.0.1',
    },
  ])
  const headers = { Authorization: `Bearer ${secret}` }
  expect(await lineOf(await fetch(`${address}/oauth2/v1/userinfo`, { headers }))).toMatchObject({
    reason: 'invalid_token: The access token is unknown, expired or revoked.',
    address: '127.0.0.1',
  })
  expect(raw).not.toContain(secret)
})
