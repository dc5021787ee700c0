import { getHeapStatistics } from 'node:v8'
import { paymentsRemembered, type Room } from '../application/generational-cache.ts'

/** A generation of states and one of outcomes each, and as much before them: an eighth of the heap all together. */
const share = 1 / 32

/** How much this process may remember of what is folded of streams: more where its heap may grow larger. */
export const roomInHeap = (): Room => ({
  streams: paymentsRemembered,
  bytes: Math.floor(getHeapStatistics().heap_size_limit * share),
})
