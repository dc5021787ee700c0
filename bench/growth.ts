// What ten years of payments require: `npm run bench:growth -- [payments a second] [years]`.
// Calculated from measurements on two cores, and simulated where merchants differ.
import { gzipSync } from 'node:zlib'
import { rmSync } from 'node:fs'
import { openStoreToRead } from '../infrastructure/stores.ts'
import { makeAuditedLog } from './audited-log.ts'

const [payments = 10_000, years = 10] = process.argv.slice(2).map(Number)

/** Measured on two cores: see results.md, and docs/growth.md for `bench:snapshot`. */
const measured = {
  /** Captures and similar appends per second of one log, including all background work. */
  appendsOfLog: 7_700,
  /** Events folded per second. */
  folded: 60_000,
  /** Bytes per second when transferring read models between nodes, on a busy machine. */
  handedOver: 40_000_000,
  /** Bytes of read models per event. */
  readModelBytes: 331,
}

/** A log is planned at a third of its capacity, for peaks, repairs and a lost node. */
const planned = 1 / 3
/** Days not archived yet: a month, the previous one, and time for disputes. */
const daysHot = 90
/** Disk size for a log, with as much again for its read models and copies. */
const mostHot = 2e12
const secondsOfDay = 86_400

/** Events per payment, and their size in the log and compressed, measured on a generated log. */
const look = async () => {
  const directory = await makeAuditedLog(12_000, () => {})
  const store = await openStoreToRead({ EVENT_STORE: 'sqlite', DATA_DIR: directory })
  let [events, requested] = [0, 0]
  const texts: string[] = []
  for await (const batch of store.readAll(0))
    for (const { type, data, metadata, stream, id } of batch) {
      events += 1
      if (type === 'PaymentRequested') requested += 1
      texts.push(JSON.stringify({ type, stream, id, data, metadata }))
    }
  await store.close()
  rmSync(directory, { recursive: true })
  const text = Buffer.from(texts.join('\n'))
  return {
    perPayment: events / requested,
    // Includes the row, its entries in two indexes, and the checksum.
    bytes: text.length / events + 120,
    packed: gzipSync(text).length / events,
  }
}

/** The share of payments of the merchant at each rank: proportional to 1/rank (Zipf). */
const sharesOf = (merchants: number): number[] => {
  const weights = Array.from({ length: merchants }, (_, rank) => 1 / (rank + 1))
  const all = weights.reduce((sum, weight) => sum + weight, 0)
  return weights.map((weight) => weight / all)
}

/** A pseudo-random number, the same for the same key. */
const scattered = (key: number): number => {
  let mixed = Math.imul(key ^ (key >>> 16), 0x45d9f3b)
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x45d9f3b)
  return (mixed ^ (mixed >>> 16)) >>> 0
}

/** The share of payments in the fullest log, for two placements of merchants. */
const fullest = (shares: readonly number[], logs: number) => {
  const [byHash, byLoad] = [new Float64Array(logs), new Float64Array(logs)]
  for (const [rank, share] of shares.entries()) {
    const at = scattered(rank) % logs
    byHash[at] = (byHash[at] ?? 0) + share
    // Largest first, each into the least loaded log.
    const least = byLoad.indexOf(Math.min(...byLoad))
    byLoad[least] = (byLoad[least] ?? 0) + share
  }
  return { byHash: Math.max(...byHash) * logs, byLoad: Math.max(...byLoad) * logs }
}

const tera = (bytes: number): string => `${(bytes / 1e12).toFixed(1)} TB`
const row = (...cells: readonly string[]): string => `| ${cells.join(' | ')} |`

const { perPayment, bytes, packed } = await look()
const perSecond = payments * perPayment
const hotEvents = perSecond * secondsOfDay * daysHot
const allEvents = perSecond * secondsOfDay * 365.25 * years
const logsByRate = Math.ceil(perSecond / (measured.appendsOfLog * planned))
const logsBySize = Math.ceil((hotEvents * bytes) / mostHot)
const logs = Math.max(logsByRate, logsBySize)
const hotOfLog = hotEvents / logs
const placed = fullest(sharesOf(20_000), logs)
const snapshotOfLog = hotOfLog * measured.readModelBytes
const hours = (seconds: number): string => `${(seconds / 3_600).toFixed(1)} h`

const lines = [
  row('what', 'figure'),
  row('---', '---'),
  row('payments a second, years', `${payments}, ${years}`),
  row('events of a payment, measured', perPayment.toFixed(1)),
  row('events a second', perSecond.toFixed(0)),
  row('bytes of an event in the log; packed', `${bytes.toFixed(0)}; ${packed.toFixed(0)}`),
  row('events in all', `${(allEvents / 1e12).toFixed(1)} million million`),
  row(
    'all of them in logs; packed in cold files',
    `${tera(allEvents * bytes)}; ${tera(allEvents * packed)}`,
  ),
  row('logs, each at a third of what it can append', String(logsByRate)),
  row(`logs, each of ${tera(mostHot)} and ${daysHot} days at most`, String(logsBySize)),
  row('the fullest log, merchants placed by hash', `${placed.byHash.toFixed(1)} times the mean`),
  row('the same, the largest placed first', `${placed.byLoad.toFixed(2)} times the mean`),
  row(`a log of ${daysHot} days, hot`, tera(hotOfLog * bytes)),
  row('its read models', tera(snapshotOfLog)),
  row('a new node: from a snapshot', hours(snapshotOfLog / measured.handedOver)),
  row('a new node: folding the log', hours(hotOfLog / measured.folded)),
  row('a month that is closed: packed, of one log', tera((hotOfLog / daysHot) * 30 * packed)),
]
process.stdout.write(`${lines.join('\n')}\n`)
