import { OperatorError } from '../../infrastructure/failures.ts'
import { openStoreToRead, type Place } from '../../infrastructure/stores.ts'
import { momentFiles } from '../as-of/moment-files.ts'
import { queryLog, type QueryRequest, type QueryAnswer } from './query-log.ts'

export type QueryStart = {
  readonly place: Place
  /** Of the read models of earlier moments. */
  readonly directory: string
  readonly space: number
}

export const begin = async ({ place, directory, space }: QueryStart) => {
  const store = await openStoreToRead(place)
  const kept = momentFiles(directory, space)
  return async (request: QueryRequest): Promise<QueryAnswer | { readonly problem: string }> => {
    try {
      return await queryLog({ store, kept }, request)
    } catch (error) {
      if (error instanceof OperatorError) return { problem: error.message }
      throw error
    }
  }
}
