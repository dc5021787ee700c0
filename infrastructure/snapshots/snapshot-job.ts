import { takeSnapshot, type Snapshot } from './snapshot.ts'

type Files = { readonly readModels: string; readonly to: string }

export const begin =
  () =>
  ({ readModels, to }: Files): Promise<Snapshot> =>
    takeSnapshot(readModels, to)
