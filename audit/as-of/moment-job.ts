import { openStoreToRead, type Place } from '../../infrastructure/stores.ts'
import { makeAndThin, type MakingRequest } from './make-moment.ts'
import { momentFiles } from './moment-files.ts'

export type MakingStart = {
  readonly place: Place
  readonly directory: string
  readonly space: number
  readonly draft: string
}

export const begin = async ({ place, directory, space, draft }: MakingStart) => {
  const store = await openStoreToRead(place)
  const files = momentFiles(directory, space, draft)
  return (request: MakingRequest): Promise<number> => makeAndThin(store, files, request)
}
