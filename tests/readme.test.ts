import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, expect, test } from 'vitest'

const root = new URL('..', import.meta.url).pathname
const tourOf = (page: string): string =>
  /<!-- tour -->(.*)<!-- \/tour -->/s.exec(readFileSync(join(root, page), 'utf8'))?.[1] ?? ''

type Step = { readonly command: string; readonly answer: string }

const stepsOf = (page: string): Step[] =>
  [...tourOf(page).matchAll(/```console\n(.*?)```/gs)].flatMap(([, block = '']) =>
    block
      .split(/^\$ /m)
      .slice(1)
      .map((part) => {
        const [command = '', ...answer] = part.trimEnd().split('\n')
        return { command, answer: answer.join('\n').trim() }
      }),
  )

/** Ids and times differ from run to run; the pages show them as an ellipsis. */
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
  'infrastructure',
  'projections',
  'http',
  'client',
  'docs',
  'verifier',
]
// The test runner sets a MODE of its own.
const environment = { ...process.env, MODE: 'sandbox', PORT: '0', DATA_DIR: 'data' }
const folder = mkdtempSync(join(tmpdir(), 'daybook-tour-'))
let service: ReturnType<typeof spawn>
let address = ''

beforeAll(async () => {
  // The tour runs in a folder that has the project's files, and a `dist` and a `data` of its own.
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
  // The whole group: npm, its shell and the service.
  process.kill(-service.pid!, 'SIGTERM')
  await once(service, 'exit')
  rmSync(folder, { recursive: true })
})

/** Runs the commands in one shell and answers what each printed. */
const run = async (commands: readonly string[]): Promise<string[]> => {
  const end = '=== end of an answer ==='
  const shell = spawn('bash', ['-s'], {
    cwd: folder,
    env: environment,
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const script = commands
    .map(
      (command) => `${command.replaceAll('http://127.0.0.1:8080', address)}\necho; echo '${end}'\n`,
    )
    .join('')
  shell.stdin.end(script)
  let printed = ''
  for await (const chunk of shell.stdout) printed += String(chunk)
  return printed.split(end).slice(0, -1)
}

test.each([
  // The tour looks at the first report of the ledger: it comes first.
  ['docs/tour.md', 20],
  ['README.md', 8],
])('every command of %s prints what the page says', async (page, most) => {
  const steps = stepsOf(page)
  expect(steps.length).toBeGreaterThan(most)
  const printed = await run(steps.map(({ command }) => command))
  const seen = steps.map(({ command }, index) => ({
    command,
    answer: settled(printed[index] ?? '', address),
  }))
  expect(seen).toEqual(steps)
})
