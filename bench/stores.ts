import { randomBytes } from 'node:crypto'
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { execFileSync } from 'node:child_process'
import { connectEventStoreDB } from '../infrastructure/event-store/eventstoredb-event-store.ts'
import { peopleAtOnce, type KeptPerson } from '../infrastructure/people/vault-port.ts'
import { contentsOfFile } from '../infrastructure/people/vault-file.ts'
import { openVault } from '../infrastructure/people/vault.ts'
import { isOurs } from '../infrastructure/stores.ts'
import { contentsOfStreams } from '../infrastructure/vault-streams/contents.ts'
import { openVaultInStreams } from '../infrastructure/vault-streams/vault.ts'
import { eventstoredb } from './eventstoredb.ts'
import { startProtocolServer } from './processes.ts'
import { secondsSince, type Case, type Figure, type Scenario, type Scope } from './scope.ts'

const startStore = async ({ folder, later }: Scope) => {
  const { url, stop } = await startProtocolServer(join(folder(), 'events.db'))
  later(stop)
  return url
}

const keys = [{ id: 'bench', key: Buffer.alloc(32, 1) }]

const collect = (globalThis as { readonly gc?: () => void }).gc ?? (() => {})

/** Each is named by one merchant. */
const newPeople = (count: number): KeptPerson[] =>
  Array.from({ length: count }, () => ({
    ...{ id: randomBytes(16).toString('hex'), key: randomBytes(32), identifier: randomBytes(32) },
    names: [randomBytes(32)],
  }))

type Opened = { readonly seconds: number; readonly kept: number; readonly most: number }

/** Opens a vault as a node does: the seconds, and the bytes that it keeps and needs at most. */
const openHere = async (place: string, folder: string): Promise<Opened> => {
  collect()
  const { heapUsed, external } = process.memoryUsage()
  const began = performance.now()
  const isFile = !place.startsWith('esdb')
  const { streams, close } = connectEventStoreDB(isFile ? 'esdb://none' : place)
  const vault = isFile
    ? openVault(place, undefined, keys)
    : await openVaultInStreams(streams, keys, undefined, { folder })
  const seconds = secondsSince(began)
  const most = process.resourceUsage().maxRSS * 1_024
  collect()
  const after = process.memoryUsage()
  const kept = after.heapUsed + after.external - heapUsed - external
  await vault.close()
  await close()
  return { seconds, kept, most }
}

const own = fileURLToPath(import.meta.url)

/** In a process of its own, so that its memory can be measured. */
const openApart = (what: string, place: string, folder: string): Figure[] => {
  const words = ['--expose-gc', '--import', 'tsx', own, 'open', place, folder]
  const text = execFileSync(process.execPath, words, { encoding: 'utf8' })
  const { seconds, kept, most } = JSON.parse(text) as Opened
  const more = `keeps ${Math.round(kept / 1e6)} MB, ${Math.round(most / 1e6)} MB resident at most`
  return [{ what, value: seconds, unit: 's', more }]
}

const vault: Case = {
  about: 'How soon a node knows everybody in a vault, beside a vault in a file. Size: people',
  usual: { rounds: 1, seconds: 0, size: 1_000_000 },
  quick: { rounds: 1, seconds: 0, size: 2_000 },
  isOfThisCheckout: true,
  open: () => async (scope) => {
    const url = await startStore(scope)
    const folder = scope.folder()
    const file = join(folder, 'vault.sqlite')
    const { streams, close } = connectEventStoreDB(url, { isOurs })
    const places = [await contentsOfStreams(streams, keys), contentsOfFile(file, keys)]
    for (const { keepSecrets } of places)
      await keepSecrets([{ name: 'identifiers', secret: randomBytes(32) }])
    for (let done = 0; done < scope.size; done += peopleAtOnce) {
      const people = newPeople(Math.min(peopleAtOnce, scope.size - done))
      for (const { put } of places) await put(people)
    }
    for (const place of places) await place.close()
    await close()
    const [ofFile] = openApart('file', file, folder) as [Figure]
    const first = openApart('streams, first start', url, folder)
    const next = openApart('streams, next start', url, folder)
    const known = readdirSync(folder).find((one) => one.startsWith('vault-known-')) ?? ''
    return [
      ...[...first, ...next].map((figure) => ({ ...figure, limit: ofFile.value })),
      ofFile,
      { what: "the node's file", value: statSync(join(folder, known)).size / 1e6, unit: 'MB' },
    ]
  },
}

export const cases: Scenario = { vault, eventstoredb }

const [, script, word, place = '', folder = ''] = process.argv

if (script === own && word === 'open')
  process.stdout.write(JSON.stringify(await openHere(place, folder)))
