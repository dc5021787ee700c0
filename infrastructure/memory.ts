import { getHeapStatistics } from 'node:v8'
import { cachedPayments, type CacheLimits } from '../application/generational-cache.ts'

/** Two generations of states and two of outcomes: an eighth of the heap in total. */
const share = 1 / 32

/** Limits of the caches of folded streams, by the size of the heap. */
export const cacheLimitsInHeap = (): CacheLimits => ({
  streams: cachedPayments,
  bytes: Math.floor(getHeapStatistics().heap_size_limit * share),
})
