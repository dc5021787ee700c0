import type { Core } from '../core.ts'
import { checkpointWork } from '../transparency/checkpoint-work.ts'
import { receiptsOf } from '../transparency/receipts.ts'

/** The log's Merkle tree, with checkpoints signed in the background. */
export const transparencySlice = (core: Core) => {
  const { tree, checkpoints } = core.transparency
  const { verifierKeys, work } = checkpointWork(core)
  const receipts = receiptsOf({ ...core, ...core.transparency })
  return { needs: { ...core.accounting, tree, checkpoints, receipts, verifierKeys }, work }
}

export type TransparencySlice = ReturnType<typeof transparencySlice>
