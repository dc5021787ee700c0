// @module-tag long
import { spawnSync } from 'node:child_process'
import { createPrivateKey } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { examplesIn } from './docs-pages.ts'
import { sign, startService, type Service } from '../support/http-service.ts'

/** The callback verifiers in `/docs`, run in their languages. */

type Message = {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/**
 * A program around each language's function, and how to run it: messages in and verdicts out, as
 * JSON.
 */
const languages = {
  Node: {
    fence: 'js',
    file: 'verify.cjs',
    run: ['node'],
    has: ['node', '-e', ''],
    around: (code: string) => `${code}
const { readFileSync } = require('node:fs')
const { messages, keys } = JSON.parse(readFileSync(0, 'utf8'))
const verdicts = messages.map(({ url, headers, body }) =>
  isGenuine(url, headers, Buffer.from(body), keys, 'sandbox'))
console.log(JSON.stringify(verdicts))`,
  },
  Python: {
    fence: 'python',
    file: 'verify.py',
    run: ['python3'],
    has: ['python3', '-c', 'import cryptography'],
    around: (code: string) => `${code}
import json, sys
given = json.load(sys.stdin)
print(json.dumps([is_genuine(m["url"], m["headers"], m["body"].encode(), given["keys"], "sandbox")
    for m in given["messages"]]))`,
  },
  PHP: {
    fence: 'php',
    file: 'verify.php',
    run: ['php'],
    has: ['php', '-r', 'openssl_verify(...);'],
    around: (code: string) => `<?php
${code}
$given = json_decode(file_get_contents('php://stdin'), true);
echo json_encode(array_map(
  fn ($m) => is_genuine($m['url'], $m['headers'], $m['body'], $given['keys'], 'sandbox'),
  $given['messages']));`,
  },
} as const

const runs = ([command, ...words]: readonly string[], input = '') =>
  spawnSync(command ?? '', words, { input, encoding: 'utf8' })

let service: Service
let folder: string
let keys: unknown
let page: string
beforeAll(async () => {
  service = await startService()
  folder = mkdtempSync(join(tmpdir(), 'daybook-verifiers-'))
  keys = (await service.call('GET', '/callback_keys.json')).body.keys
  page = (await service.call('GET', '/docs/verifying')).text
})
afterAll(async () => {
  await service.stop()
  rmSync(folder, { recursive: true })
})

/** A test event as received. */
const received = async (): Promise<Message> => {
  let tell: (message: Omit<Message, 'url'>) => void
  const told = new Promise<Omit<Message, 'url'>>((resolve) => (tell = resolve))
  const plain = (headers: IncomingHttpHeaders) =>
    Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]))
  const server = createServer(async (request, answer) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    answer.end()
    tell({ headers: plain(request.headers), body: Buffer.concat(chunks).toString() })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/callbacks?shop=1`
  await service.call('POST', '/sandbox/v1/callback/', { body: { callback_uri: url } })
  const message = { url, ...(await told) }
  server.close()
  return message
}

/** Signed as the service does, at any time. */
const signedAt = (at: number, merchant = 'sandbox'): Message => {
  const key = createPrivateKey(readFileSync(join(service.folder, 'callback-rsa.pem')))
  const [url, body] = [
    'https://shop.example/callbacks',
    JSON.stringify({ meta: { merchant_id: merchant } }),
  ]
  const who = { merchant: null, user: null }
  return { url, body, headers: sign({ method: 'POST', url, body, key, at, ...who }) }
}

describe('given a verifier of the page', () => {
  const codeOf = (language: keyof typeof languages): string =>
    examplesIn(page).find((one) => one.language === languages[language].fence)?.code ?? ''

  test.each(Object.entries(languages))(
    'in %s, then it takes what the service sends, and nothing else',
    async (language, { file, run, has, around }) => {
      const code = codeOf(language as keyof typeof languages)
      expect(code).not.toBe('')
      expect(code.split('\n').length).toBeLessThanOrEqual(26)
      if (runs(has).status !== 0) return
      const genuine = await received()
      const now = signedAt(Date.now())
      const { Authorization: _, ...unsigned } = now.headers
      const messages: readonly Message[] = [
        genuine,
        now,
        { ...genuine, body: genuine.body.replace('Hello', 'Hullo') },
        { ...genuine, url: `${genuine.url}0` },
        { ...now, headers: { ...now.headers, 'X-Service-Timestamp': '2026-11-21 09:30:00' } },
        signedAt(Date.now() - 301_000),
        // A busy machine may take a while to start the verifier.
        signedAt(Date.now() + 600_000),
        signedAt(Date.now(), 'other'),
        { ...now, headers: unsigned },
        { ...now, headers: { ...now.headers, Authorization: 'RSA-SHA256 bm9uZQ==' } },
        { ...now, headers: {} },
      ]
      const lowered = messages.map(({ headers, ...rest }) => ({
        ...rest,
        headers: Object.fromEntries(
          Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
        ),
      }))
      const path = join(folder, file)
      writeFileSync(path, around(code))
      const { stdout, stderr } = runs([...run, path], JSON.stringify({ messages: lowered, keys }))
      expect(stderr).toBe('')
      expect(JSON.parse(stdout)).toEqual(messages.map((_, index) => index < 2))
    },
  )
})
