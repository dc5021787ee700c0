import { getHeapStatistics } from 'node:v8'
import { cachedPayments, type CacheLimits } from '../application/generational-cache.ts'

/** A generation of states and one of outcomes each, and as much before them: an eighth of the heap all together. */
const share = 1 / 32

/** How much this process may remember of what is folded of streams: more where its heap may grow larger. */
export const cacheLimitsInHeap = (): CacheLimits => ({
  streams: cachedPayments,
  bytes: Math.floor(getHeapStatistics().heap_size_limit * share),
})
