// How soon a node knows everybody in a vault in streams, at its first and at later starts, how much
// memory this takes, and the size of its file: npm run bench:vault -- [people …]
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { connectEventStoreDB } from '../infrastructure/event-store/eventstoredb-event-store.ts'
import { peopleAtOnce, type KeptPerson } from '../infrastructure/people/vault-contents.ts'
import { contentsOfFile } from '../infrastructure/people/vault-file-contents.ts'
import { openVault } from '../infrastructure/people/vault.ts'
import { isOurs } from '../infrastructure/stores.ts'
import { contentsOfStreams } from '../infrastructure/vault-streams/contents.ts'
import { hasKnownFile } from '../infrastructure/vault-streams/known-file.ts'
import { openVaultInStreams } from '../infrastructure/vault-streams/vault.ts'

const keys = [{ id: 'bench', key: Buffer.alloc(32, 1) }]
const own = fileURLToPath(import.meta.url)
const server = fileURLToPath(new URL('../tests/event-store/protocol-server.ts', import.meta.url))
const say = (text: string): void => void process.stdout.write(`${text}\n`)
const megabytes = (bytes: number): string => `${Math.round(bytes / 1_048_576)} MB`
const node = (script: string, ...words: readonly string[]) =>
  spawn(process.execPath, ['--expose-gc', '--import', 'tsx', script, ...words], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
const collect = (globalThis as { readonly gc?: () => void }).gc ?? (() => {})

/** Each is named by one merchant. */
const newPeople = (count: number): KeptPerson[] =>
  Array.from({ length: count }, () => ({
    ...{ id: randomBytes(16).toString('hex'), key: randomBytes(32), identifier: randomBytes(32) },
    names: [randomBytes(32)],
  }))

/** Opens a vault as a node does, and reports the cost. */
const measure = async (place: string, folder: string): Promise<void> => {
  collect()
  const { rss, heapUsed, external } = process.memoryUsage()
  const began = performance.now()
  const { streams, close } = connectEventStoreDB(place.startsWith('esdb') ? place : 'esdb://none')
  const isFile = !place.startsWith('esdb')
  const wasThere = hasKnownFile(folder)
  const vault = isFile
    ? openVault(place, undefined, keys)
    : await openVaultInStreams(streams, keys, undefined, { folder })
  const seconds = ((performance.now() - began) / 1_000).toFixed(2)
  const most = megabytes(process.resourceUsage().maxRSS * 1_024)
  collect()
  const after = process.memoryUsage()
  const kept = after.heapUsed + after.external - heapUsed - external
  const start = isFile ? 'file' : `streams, ${wasThere ? 'next' : 'first'} start`
  say(
    `  ${start} ${seconds} s, keeps ${megabytes(kept)}, ` +
      `resident ${megabytes(rss)} before, ${most} at most`,
  )
  await vault.close()
  await close()
}

const measureApart = async (place: string, folder: string): Promise<void> => {
  const child = node(own, 'open', place, folder)
  child.stdout.pipe(process.stdout)
  const [code] = await once(child, 'exit')
  if (code !== 0) throw new Error(`opening ${place} failed`)
}

const compare = async (count: number): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), 'daybook-bench-vault-'))
  const log = join(folder, 'events.db')
  const store = node(server, '0', log)
  try {
    const [line] = await once(createInterface({ input: store.stdout }), 'line')
    const url = String(line)
    const file = join(folder, 'vault.sqlite')
    const { streams, close } = connectEventStoreDB(url, { isOurs })
    const places = [await contentsOfStreams(streams, keys), contentsOfFile(file, keys)]
    for (const { keepSecrets } of places)
      await keepSecrets([{ name: 'identifiers', secret: randomBytes(32) }])
    const began = performance.now()
    for (let done = 0; done < count; done += peopleAtOnce) {
      const people = newPeople(Math.min(peopleAtOnce, count - done))
      for (const { put } of places) await put(people)
    }
    for (const place of places) await place.close()
    await close()
    const seconds = ((performance.now() - began) / 1_000).toFixed(0)
    say(`${count} people, written in ${seconds} s; log ${megabytes(statSync(log).size)}`)
    for (const place of [url, url, file]) await measureApart(place, folder)
    const known = readdirSync(folder).find((one) => one.startsWith('vault-known-')) ?? ''
    say(`  the node's file: ${megabytes(statSync(join(folder, known)).size)}`)
  } finally {
    store.kill('SIGTERM')
    await once(store, 'exit')
    rmSync(folder, { recursive: true })
  }
}

const [first, place = '', folder = ''] = process.argv.slice(2)
if (first === 'open') await measure(place, folder)
else {
  const counts = process.argv.slice(2).map(Number)
  for (const count of counts.length > 0 ? counts : [100_000, 1_000_000]) await compare(count)
}
