import { parentPort, workerData } from 'node:worker_threads'
import { takeSnapshot, type Snapshot } from './snapshot.ts'

export type SnapshotStart = { readonly readModels: string; readonly to: string }
export type SnapshotReply = Snapshot

if (parentPort) {
  const { readModels, to } = workerData as SnapshotStart
  parentPort.postMessage((await takeSnapshot(readModels, to)) satisfies SnapshotReply)
  parentPort.close()
}
