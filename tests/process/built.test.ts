import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import { newFolder } from '../../harness/in-process.ts'

const root = join(import.meta.dirname, '..', '..')

const folder = newFolder()

afterAll(() => rmSync(folder, { recursive: true }))

type Lock = { readonly packages: Readonly<Record<string, { readonly dev?: true }>> }

/** A folder with the build and the packages that `npm ci --omit=dev` installs. */
const productionFolder = (name: string): string => {
  const place = join(folder, name)
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as Lock
  mkdirSync(place)
  cpSync(join(root, 'package.json'), join(place, 'package.json'))
  cpSync(join(root, 'dist'), join(place, 'dist'), { recursive: true })
  for (const [path, { dev }] of Object.entries(lock.packages)) {
    if (dev || !/^node_modules\/(?:@[^/]+\/)?[^/]+$/.test(path)) continue
    mkdirSync(dirname(join(place, path)), { recursive: true })
    symlinkSync(join(root, path), join(place, path))
  }
  return place
}

/** Starts the service with a command; returns its address. */
const start = async (cwd: string, ...[command = '', ...words]: string[]) => {
  const env = { ...process.env, MODE: 'sandbox', PORT: '0', DATA_DIR: newFolder() }
  onTestFinished(() => rmSync(env.DATA_DIR, { recursive: true, force: true }))
  // Variables of the npm that runs the tests.
  for (const name of Object.keys(env).filter((name) => name.startsWith('npm_')))
    delete (env as NodeJS.ProcessEnv)[name]
  const PATH = dirname(process.execPath) + ':/usr/local/bin:/usr/bin:/bin'
  const child = spawn(command, words, { cwd, env: { ...env, PATH }, stdio: 'pipe' })
  onTestFinished(() => void child.kill('SIGKILL'))
  let errors = ''
  child.stderr.setEncoding('utf8').on('data', (text) => (errors += text))
  for await (const line of createInterface({ input: child.stdout })) {
    const address = /^listening on (.*)/.exec(line)?.[1]
    if (address !== undefined) return { child, address, errors: () => errors }
  }
  throw new Error(`it ended before it listened: ${errors}`)
}

const isLive = (address: string): Promise<boolean> =>
  fetch(`${address}/health/live`).then(
    ({ ok }) => ok,
    () => false,
  )

const end = async (child: ChildProcess): Promise<number | null> => {
  child.kill('SIGTERM')
  const [code] = await once(child, 'exit')
  return code as number | null
}

test('given what was built and the packages of production alone, then the service starts with node or npm, without a compiler', async () => {
  const place = productionFolder('production')
  const node = await start(place, process.execPath, 'dist/service/main.js', 'serve')
  expect(await isLive(node.address)).toBe(true)
  expect(await end(node.child)).toBe(0)
  const npm = await start(place, 'npm', 'start')
  expect(await isLive(npm.address)).toBe(true)
  await end(npm.child)
  expect(await isLive(npm.address)).toBe(false)
})

test(
  'given a checkout, when npm start compiles it first, then it says so',
  { tags: 'night' },
  async () => {
    const { child, errors } = await start(root, 'npm', 'start', '--silent')
    expect(errors()).toContain('compiled')
    await end(child)
  },
)

test.each(['SIGKILL', 'SIGHUP'] as const)(
  'given a service that npm has started, when npm dies of %s, then the service ends, too',
  { tags: 'night' },
  async (signal) => {
    const place = productionFolder(signal)
    const { child, address } = await start(place, 'npm', 'start')
    child.kill(signal)
    await once(child, 'exit')
    while (await isLive(address));
  },
)
