import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'

type Packed = { readonly files: readonly { readonly path: string }[]; readonly size: number }

/** What `npm pack` would put into the tarball, from the build. */
const packed = (): Packed => {
  const words = ['pack', '--dry-run', '--json', '--ignore-scripts']
  const [pack] = JSON.parse(execFileSync('npm', words, { encoding: 'utf8' })) as [Packed]
  return pack
}

const { files, size } = packed()
const paths = files.map(({ path }) => path)

test('the package holds the program, its threads and guides, and the client', () => {
  expect(paths).toEqual(
    expect.arrayContaining([
      'package.json',
      'LICENSE',
      'README.md',
      'dist/service/main.js',
      'dist/infrastructure/event-store/commit-worker.js',
      'dist/infrastructure/threads/job-worker.js',
      'dist/infrastructure/snapshots/snapshot-job.js',
      'dist/client/index.js',
      'dist/client/index.d.ts',
      'dist/docs/guide/start.md',
    ]),
  )
})

test('it holds no source maps and no sources, and of types what the client shows', () => {
  const shown = new Set<string>()
  const visit = (file: string): void => {
    if (shown.has(file)) return
    shown.add(file)
    const text = readFileSync(file, 'utf8')
    for (const [, name = ''] of text.matchAll(/from ['"](\.[^'"]+)\.[tj]s['"]/g))
      visit(`${join(dirname(file), name)}.d.ts`)
  }
  visit('dist/client/index.d.ts')
  expect(paths.filter((path) => path.endsWith('.d.ts')).toSorted()).toEqual([...shown].toSorted())
  const others = paths.filter((path) => !path.endsWith('.d.ts'))
  expect(others.filter((path) => /\.map$|\.ts$|^tests|^bench|^node_modules/.test(path))).toEqual([])
  expect(size).toBeLessThan(3_000_000)
})

const useOfClient = `
import { Client, Conflict } from 'daybook-client'
const who = { url: 'http://pay.example', merchant: 'sandbox', user: 'pos1', secret: 'a' }
console.log(typeof new Client(who).listTransactions().pages, Conflict.name)
`

test('the client is a package of its own, which needs nothing else', () => {
  const place = mkdtempSync(join(tmpdir(), 'daybook-client-'))
  const run = (program: string, words: readonly string[], cwd: string): string =>
    execFileSync(program, words, { cwd, encoding: 'utf8' })
  try {
    const [from, into] = [join(place, 'client'), join(place, 'empty')]
    for (const folder of [from, into]) mkdirSync(folder)
    for (const file of ['package.json', 'README.md']) cpSync(`client/${file}`, join(from, file))
    cpSync('dist/client', join(from, 'dist'), { recursive: true })
    run('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', place], from)
    writeFileSync(join(into, 'package.json'), '{}')
    const install = ['install', '--offline', '--no-audit', '--no-fund']
    run('npm', [...install, '../daybook-client-0.1.0.tgz'], into)
    writeFileSync(join(into, 'use.mjs'), useOfClient)
    expect(run('node', ['use.mjs'], into)).toBe('function Conflict\n')
    const lock = JSON.parse(readFileSync(join(into, 'package-lock.json'), 'utf8'))
    expect(Object.keys(lock.packages)).toEqual(['', 'node_modules/daybook-client'])
  } finally {
    rmSync(place, { recursive: true })
  }
})
