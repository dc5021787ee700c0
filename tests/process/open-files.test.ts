import { execFile } from 'node:child_process'
import { rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { newFolder } from '../../harness/in-process.ts'
import { fewOpenFiles, openFilesIn } from '../../infrastructure/open-files.ts'

const limits = (soft: string) =>
  `Limit  Soft Limit  Hard Limit  Units\nMax open files            ${soft}      524288      files\n`

test('the soft limit of open files is read if the system reports it', () => {
  expect(openFilesIn(limits('1024'))).toBe(1024)
  expect(openFilesIn(limits('unlimited'))).toBeUndefined()
})

test('a low limit is reported, as is one too low for the service to run', () => {
  expect(fewOpenFiles(4096)).toBeUndefined()
  expect(fewOpenFiles(1024)).toMatchObject({ isTooFew: false })
  expect(fewOpenFiles(100)).toMatchObject({ isTooFew: true })
})

test('given too few file descriptors, then the start says so and ends', async () => {
  const DATA_DIR = newFolder()
  onTestFinished(() => rmSync(DATA_DIR, { recursive: true }))
  const start = 'ulimit -n 100; exec node dist/service/main.js serve'
  const cwd = fileURLToPath(new URL('../..', import.meta.url))
  const env = { ...process.env, DATA_DIR, PORT: '0' }
  const ended = await new Promise<{ code: unknown; errors: string }>((resolve) =>
    execFile('sh', ['-c', start], { cwd, env }, (error, _, errors) =>
      resolve({ code: error?.code, errors }),
    ),
  )
  expect(ended).toEqual({
    code: 1,
    errors: expect.stringMatching(/^only 100 files can be open at a time.*ulimit -n.*4096/),
  })
})
