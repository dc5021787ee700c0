import { existsSync, renameSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { pngOf } from '../fuzz/hostile-bodies.ts'
import type { begin as beginPng } from '../../infrastructure/pictures/png-job.ts'
import { buildReadModelFile } from '../../infrastructure/read-models/read-model-file.ts'
import type { begin as beginWriting } from '../../infrastructure/read-models/writing-job.ts'
import { jobThread, ThreadEnded } from '../../infrastructure/threads/job-thread.ts'
import { root, sourcesIn, topFolders } from '../architecture/sources.ts'

let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'daybook-jobs-'))
})

afterAll(() => rm(folder, { recursive: true }))

const pictures = (options: Parameters<typeof jobThread<typeof beginPng, string>>[1]) => {
  const thread = jobThread<typeof beginPng, string>('infrastructure/pictures/png-job', options)
  onTestFinished(() => thread.end())
  return thread
}

test('every module that a thread performs ends as the build looks for it', () => {
  const names = topFolders.flatMap(sourcesIn).flatMap(({ file, text }) => {
    const named = text.matchAll(/\bjobThread<[^>]+>\(\s*'([^']+)'/g)
    return file.startsWith('tests/') ? [] : [...named].map(([, name = '']) => name)
  })
  expect(names.length).toBeGreaterThan(8)
  const isFound = (name: string): boolean =>
    /^(?:infrastructure|audit)\/.*-job$/.test(name) && existsSync(join(root, `${name}.ts`))
  expect(names.filter((name) => !isFound(name))).toEqual([])
})

test('given a thread that could not begin, then the next job begins it', async () => {
  const { path, discard } = buildReadModelFile(await mkdtemp(join(folder, 'place-')), [])
  onTestFinished(discard)
  renameSync(path, `${path}-away`)
  const options = { start: path }
  const thread = jobThread<typeof beginWriting>('infrastructure/read-models/writing-job', options)
  onTestFinished(() => thread.end())
  await expect(thread.ask([])).rejects.toMatchObject({ code: 'SQLITE_CANTOPEN' })
  renameSync(`${path}-away`, path)
  await thread.ask([])
})

test('given a job that fails, then its thread performs the next one', async () => {
  const { ask } = pictures({ concurrent: 2 })
  const broken = ask(null as unknown as Uint8Array)
  const sound = ask(pngOf(4, 4))
  await expect(broken).rejects.toThrow('null')
  expect(await sound).toBeNull()
})

test('a job that takes too long has the reply for that, and its thread ends', async () => {
  let onEnd = () => {}
  const ended = new Promise<void>((resolve) => (onEnd = resolve))
  const late = (bytes: Uint8Array) => `late with ${bytes.length}`
  const { ask } = pictures({ limit: { ms: 0, late }, onEnd: () => onEnd() })
  expect(await ask(new Uint8Array(7))).toBe('late with 7')
  await ended
})

test('when a thread ends, jobs under way fail, and the next one starts another', async () => {
  const { ask, end } = pictures({})
  const lost = expect(ask(pngOf(4, 4))).rejects.toThrow(ThreadEnded)
  await end()
  await lost
  expect(await ask(pngOf(4, 4))).toBeNull()
})

test('given a thread that is closed, then jobs are refused as unavailable', async () => {
  const { ask, end } = pictures({ closed: 'no more pictures' })
  const refused = { name: 'StoreUnavailable', message: 'no more pictures' }
  const lost = expect(ask(pngOf(4, 4))).rejects.toMatchObject(refused)
  await end()
  await lost
  await expect(ask(pngOf(4, 4))).rejects.toMatchObject(refused)
})

test('given a thread that is idle, then it ends, and the next job starts another', async () => {
  let onEnd = () => {}
  const ended = new Promise<void>((resolve) => (onEnd = resolve))
  const { ask } = pictures({ idleMs: 0, onEnd: () => onEnd() })
  expect(await ask(pngOf(4, 4))).toBeNull()
  await ended
  expect(await ask(pngOf(4, 4))).toBeNull()
})
