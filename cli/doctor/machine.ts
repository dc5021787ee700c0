// What the machine gives: Node, clock and disk.
import {
  closeSync,
  fdatasyncSync,
  openSync,
  rmSync,
  statfsSync,
  statSync,
  writeSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { isBucket } from '../../infrastructure/blobs/blobs.ts'
import { nodeEnd, nodeWarning } from '../../infrastructure/node-lines.ts'
import type { Settings } from '../../infrastructure/settings.ts'
import {
  blobsIn,
  currentReadModels,
  isVaultInStreams,
  logFileIn,
  vaultIn,
} from '../../infrastructure/stores.ts'
import { fault, ok, warning, worst, type Finding, type Answer } from './ask.ts'

export const nodeFinding = (version: string, now: number): Finding => {
  const problem = nodeWarning(version, now)
  return problem === undefined
    ? ok(`Node ${version} is repaired until ${nodeEnd(version)}`)
    : warning(problem, 'install a line of Node that is repaired, then run npm ci again')
}

/** In ms. A date of HTTP has whole seconds. */
const [noticeableMs, harmfulMs] = [2_000, 30_000]

/** Compares this clock with the `Date` of an answer. */
export const clockFinding = (other: string, { date, begun, ended }: Answer): Finding => {
  if (date === undefined)
    return warning(`${other} answers without its time`, 'give --clock another address')
  const off = Math.round((begun + ended) / 2 - date - 500)
  const side = off < 0 ? 'behind' : 'ahead of'
  const distance = `${(Math.abs(off) / 1_000).toFixed(1)} s ${side} ${other}`
  const advice = 'let chrony or systemd-timesyncd set the clock: signed requests are judged by it'
  if (Math.abs(off) <= noticeableMs) return ok(distance)
  return Math.abs(off) <= harmfulMs ? warning(distance, advice) : fault(distance, advice)
}

/** Numbers of Linux for file systems that are no place for a log. */
const fileSystems: Readonly<Record<number, Finding>> = {
  0x01021994: fault('it lies in memory (tmpfs)', 'put DATA_DIR on a disk'),
  0x858458f6: fault('it lies in memory (ramfs)', 'put DATA_DIR on a disk'),
  0x6969: fault('it lies on NFS', 'put DATA_DIR on a disk of this machine'),
  0xfe534d42: fault('it lies on SMB', 'put DATA_DIR on a disk of this machine'),
  0x794c7630: warning(
    'it lies in the layer of a container (overlay), which goes with it',
    'put DATA_DIR on a volume',
  ),
}

const [writes, slowMs, harmfulSyncMs] = [100, 5, 50]

/** The median time of a durable write of a page, in ms. */
const syncTime = (folder: string): number => {
  const file = join(folder, `.doctor-${process.pid}`)
  const page = Buffer.alloc(4_096, 1)
  const times: number[] = []
  const open = openSync(file, 'wx', 0o600)
  try {
    for (let n = 0; n < writes; n += 1) {
      const begun = performance.now()
      writeSync(open, page)
      fdatasyncSync(open)
      times.push(performance.now() - begun)
    }
  } finally {
    closeSync(open)
    rmSync(file)
  }
  return times.toSorted((one, other) => one - other)[writes / 2] ?? 0
}

export const judgeSync = (ms: number): Finding => {
  const found = `a durable write takes ${ms.toFixed(2)} ms`
  const advice = 'put DATA_DIR on a disk that syncs within a millisecond: each commit waits for it'
  if (ms <= slowMs) return ok(found)
  return ms <= harmfulSyncMs ? warning(found, advice) : fault(found, advice)
}

export const diskFinding = ({ DATA_DIR }: Settings): Finding => {
  const speed = judgeSync(syncTime(DATA_DIR))
  const kind = fileSystems[Number(statfsSync(DATA_DIR).type)]
  return worst([kind, speed], speed.found)
}

const gigabyte = 1e9

export const judgeSpace = (place: string, free: number, needed: number): Finding => {
  const printed = (bytes: number) => `${(bytes / gigabyte).toFixed(1)} GB`
  const found = `${printed(free)} free in ${place}`
  if (free < gigabyte) return fault(found, 'make room, or move it to a larger disk')
  if (free >= Math.max(5 * gigabyte, needed)) return ok(found)
  const advice = `make room: an upgrade folds new read models beside the old ones`
  return warning(`${found}, ${printed(needed)} taken by log and read models`, advice)
}

const sizeOf = (file: string | undefined): number =>
  (file && statSync(file, { throwIfNoEntry: false })?.size) || 0

export const spaceFinding = (settings: Settings): Finding => {
  const { DATA_DIR } = settings
  const needed = sizeOf(logFileIn(settings)) + sizeOf(currentReadModels(settings))
  const vault = isVaultInStreams(settings) ? [] : [dirname(vaultIn(settings))]
  const blobs = blobsIn(settings)
  const places = new Map(
    [...(isBucket(blobs) ? [] : [blobs]), ...vault, DATA_DIR].flatMap((place) => {
      const found = statSync(place, { throwIfNoEntry: false })
      return found ? [[found.dev, place] as const] : []
    }),
  )
  const judged = [...places.values()].map((place) => {
    const { bavail, bsize } = statfsSync(place)
    return judgeSpace(place, bavail * bsize, place === DATA_DIR ? needed : 0)
  })
  return worst(judged, judged.map(({ found }) => found).join('; '))
}
