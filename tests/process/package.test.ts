import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
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
