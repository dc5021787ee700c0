import type { Links } from '../../http/addresses.ts'
import type { About } from '../about.ts'
import type { Core } from '../core.ts'
import { checkpointWork } from '../transparency/checkpoint-work.ts'
import { receiptsOf } from '../transparency/receipts.ts'

export const transparencySlice = (core: Core, { names, readAsset }: About, links: Links) => {
  const { handle, find, newId, caughtUp, store, tree, accounting } = core
  const { checkpoints } = core.transparency
  const { verifierKeys, work } = checkpointWork(core)
  return {
    needs: {
      names,
      links,
      readAsset,
      handle,
      find,
      newId,
      caughtUp,
      tree,
      checkpoints,
      receipts: receiptsOf({ store, tree, checkpoints, accounting }),
      verifierKeys,
      ledgers: accounting.ledgers,
      reports: accounting.reports,
      settlements: accounting.settlements,
    },
    work,
  }
}

export type TransparencySlice = ReturnType<typeof transparencySlice>
