import { rmSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { openStoreToRead } from '../infrastructure/stores.ts'
import { makeAuditedLog } from './histories.ts'
import type { Case, Figure, Scope } from './scope.ts'

/** Measured on two cores: see results.md, and docs/growth.md. */
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
const measureEvents = async ({ later }: Scope) => {
  const directory = await makeAuditedLog(12_000, () => {})
  later(() => rmSync(directory, { recursive: true }))
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

const tera = (what: string, bytes: number): Figure => ({ what, value: bytes / 1e12, unit: 'TB' })
const hours = (what: string, seconds: number): Figure => {
  return { what, value: seconds / 3_600, unit: 'h' }
}

/** Payments a second, for so many years. */
const calculate = async (scope: Scope): Promise<Figure[]> => {
  const { size: payments, seconds: years } = scope
  const { perPayment, bytes, packed } = await measureEvents(scope)
  const perSecond = payments * perPayment
  const hotEvents = perSecond * secondsOfDay * daysHot
  const allEvents = perSecond * secondsOfDay * 365.25 * years
  const logsByRate = Math.ceil(perSecond / (measured.appendsOfLog * planned))
  const logsBySize = Math.ceil((hotEvents * bytes) / mostHot)
  const logs = Math.max(logsByRate, logsBySize)
  const hotOfLog = hotEvents / logs
  const placed = fullest(sharesOf(20_000), logs)
  const snapshotOfLog = hotOfLog * measured.readModelBytes
  return [
    { what: 'events of a payment, measured', value: perPayment, unit: '' },
    { what: 'events a second', value: perSecond, unit: '' },
    {
      what: 'an event in the log',
      value: bytes,
      unit: 'bytes',
      more: `packed ${packed.toFixed(0)}`,
    },
    { what: 'events in all', value: allEvents / 1e12, unit: 'million million' },
    tera('all of them in logs', allEvents * bytes),
    tera('packed in cold files', allEvents * packed),
    { what: 'logs, each at a third of what it can append', value: logsByRate, unit: '' },
    { what: `logs, each of 2 TB and ${daysHot} days at most`, value: logsBySize, unit: '' },
    { what: 'the fullest log, merchants by hash', value: placed.byHash, unit: 'times the mean' },
    { what: 'the same, the largest first', value: placed.byLoad, unit: 'times the mean' },
    tera(`a log of ${daysHot} days, hot`, hotOfLog * bytes),
    tera('its read models', snapshotOfLog),
    hours('a new node: from a snapshot', snapshotOfLog / measured.handedOver),
    hours('a new node: folding the log', hotOfLog / measured.folded),
    tera('a month that is closed: packed, of one log', (hotOfLog / daysHot) * 30 * packed),
  ]
}

export const years: Case = {
  about:
    'What years of payments need, calculated from measurements on two cores. Size: payments a ' +
    'second; seconds: years',
  usual: { rounds: 1, seconds: 10, size: 10_000 },
  quick: { rounds: 1, seconds: 10, size: 10_000 },
  isOfThisCheckout: true,
  open: () => calculate,
}
