import { spawnSync } from 'node:child_process'
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import { beginLog } from '../../harness/operator.ts'
import { readSettings } from '../../infrastructure/settings.ts'
import { newFolder } from '../../harness/in-process.ts'

const root = newFolder()

afterAll(() => rmSync(root, { recursive: true }))

/** Runs a command where a small disk is mounted at the path, with so much room. */
const onDisk = (disk: string, room: string, command: string) => {
  mkdirSync(disk, { recursive: true })
  const script = `mount -t tmpfs -o size=${room} full "$0" && ${command}`
  const words = ['-rm', 'sh', '-c', script, disk, process.execPath, 'dist/service/main.js', 'serve']
  const settings = { MODE: 'sandbox', HOST: '127.0.0.1', PORT: '0', LOG_LEVEL: 'fatal' }
  const env = { ...process.env, ...settings, METRICS_PORT: '0', DATA_DIR: disk }
  return spawnSync('unshare', words, { env, encoding: 'utf8', timeout: 50_000 })
}

const mayMount = onDisk(join(root, 'try'), '4k', 'true').status === 0

// What does not fit differs: a key, the log, its index, the vault, the read models.
test.runIf(mayMount).each(['4k', '32k', '96k', '160k', '300k'])(
  'given a disk with room for %s alone, when the service starts, then it says that it is full',
  (room) => {
    const disk = join(root, room)
    const { status, stdout, stderr } = onDisk(disk, room, 'exec "$@"')
    const expected = [1, '', `DATA_DIR="${disk}": the disk is full\n`]
    expect([status, stdout, stderr]).toEqual(expected)
  },
  60_000,
)

test.runIf(mayMount)(
  'given a log on a disk that is full since, when the service starts, then it says so',
  async () => {
    const [log, disk] = [newFolder(), join(root, 'since')]
    onTestFinished(() => rmSync(log, { recursive: true }))
    await beginLog(readSettings({ DATA_DIR: log }))
    const fill = 'cat /dev/zero > "$0/other" 2> "$0/none" || true'
    const { status, stderr } = onDisk(disk, '40m', `cp -r ${log}/* "$0"; ${fill}; exec "$@"`)
    expect([status, stderr]).toEqual([1, `DATA_DIR="${disk}": the disk is full\n`])
  },
  60_000,
)
