// Copies a log to the protocol server and back: `npm run bench:copy -- [events]`.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { compareReadModels } from '../harness/same-read-models.ts'
import { openStoreToRead } from '../infrastructure/stores.ts'
import { makeAuditedLog } from './audited-log.ts'

const [events = 200_000] = process.argv.slice(2).map(Number)
const say = (text: string): void => void process.stdout.write(`${text}\n`)
const path = (file: string): string => fileURLToPath(new URL(file, import.meta.url))

/** The protocol server, with a log of its own. */
const startServer = async (folder: string) => {
  const file = path('../tests/event-store/protocol-server.ts')
  const words = ['--import', 'tsx', file, '0', join(folder, 'events.db')]
  const child = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'inherit'] })
  const [url] = (await once(createInterface({ input: child.stdout }), 'line')) as [string]
  return { url, stop: () => child.kill() }
}

type Copied = { readonly events: number; readonly root: string; readonly seconds: number }

const copy = async (from: string, to: string): Promise<Copied> => {
  const words = [path('../dist/service/main.js'), '--json', 'copy', '--from', from, '--to', to]
  const child = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'inherit'] })
  const text = (await child.stdout.toArray()).join('')
  if (text === '') throw new Error(`${from} was not copied to ${to}`)
  return JSON.parse(text) as Copied
}

const told = (what: string, { events, seconds, root }: Copied): void =>
  say(
    `${what}: ${events} events in ${seconds} s, ${Math.round(events / seconds)} a second, ${root}`,
  )

const folder = mkdtempSync(join(tmpdir(), 'daybook-bench-copy-'))
const original = await makeAuditedLog(events, say)
const server = await startServer(folder)
try {
  const back = join(folder, 'back')
  const there = await copy(`sqlite:${original}`, server.url)
  told('to the server', there)
  const again = await copy(server.url, `sqlite:${back}`)
  told('and back', again)
  if (there.root !== again.root) throw new Error('the roots differ')
  const [one, other] = [
    await openStoreToRead({ EVENT_STORE: 'sqlite', DATA_DIR: original }),
    await openStoreToRead({ EVENT_STORE: 'sqlite', DATA_DIR: back }),
  ]
  const { rows, difference } = await compareReadModels(one, other)
  if (difference) throw new Error(`the read models differ: ${JSON.stringify(difference)}`)
  say(`the read models are the same: ${rows} rows of all tables`)
  say(
    `load of the machine: ${loadavg()
      .map((load) => load.toFixed(1))
      .join(', ')}`,
  )
  await Promise.all([one.close(), other.close()])
} finally {
  server.stop()
  rmSync(folder, { recursive: true })
  rmSync(original, { recursive: true })
}
