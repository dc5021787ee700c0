import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { root, runAll, stepsOf } from './documented-commands.ts'

/** Replaces ids and times, which vary, with an ellipsis, as on the pages. */
const settled = (text: string, address: string): string =>
  text
    .replaceAll(address, 'http://127.0.0.1:8080')
    .replaceAll(/\b[0-9a-f]{32}\b/g, '…')
    .replaceAll(/(\/attachment\/v1\/…\/)\d+\/[\w-]{43}/g, '$1…/…')
    .replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/g, '…')
    .trim()

const sources = [
  'domain',
  'application',
  'projections',
  'audit',
  'infrastructure',
  'http',
  'web',
  'cli',
  'service',
  'texts',
  'client',
  'docs',
  'verifier',
]
// The test runner sets MODE.
const environment = { ...process.env, MODE: 'sandbox', PORT: '0', DATA_DIR: 'data' }
const folder = mkdtempSync(join(tmpdir(), 'daybook-tour-'))
let service: ReturnType<typeof spawn>
let address = ''

beforeAll(async () => {
  // The tour runs in a folder with the project's files, and its own `dist` and `data`.
  for (const name of ['package.json', 'tsconfig.json', 'build.ts', ...sources])
    cpSync(join(root, name), join(folder, name), { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  service = spawn('npm', ['start', '-s'], {
    cwd: folder,
    env: environment,
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  })
  for await (const line of createInterface({ input: service.stdout! })) {
    address = /^listening on (.*)/.exec(line)?.[1] ?? ''
    if (address) break
  }
})

afterAll(async () => {
  // The whole process group: npm, its shell and the service.
  process.kill(-service.pid!, 'SIGTERM')
  await once(service, 'exit')
  rmSync(folder, { recursive: true })
})

test.each([
  // The tour expects the first report of the ledger, so it runs first.
  ['docs/tour.md', 20],
  ['README.md', 8],
])('every command of %s prints what the page says', async (page, most) => {
  const steps = stepsOf(page, 'tour')
  expect(steps.length).toBeGreaterThan(most)
  const commands = steps.map(({ command }) => command.replaceAll('http://127.0.0.1:8080', address))
  const printed = await runAll(commands, { cwd: folder, env: environment })
  const seen = steps.map(({ command }, index) => ({
    command,
    answer: settled(printed[index] ?? '', address),
  }))
  expect(seen).toEqual(steps)
})
