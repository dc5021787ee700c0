import { statSync } from 'node:fs'
import { dailyFiles } from './daily-file.ts'

/**
 * Maximum bytes per day, in total and per merchant: a flood from one leaves room for the others.
 */
const mostBytes = 16_777_216
const mostBytesOfOne = 2_097_152
/** Maximum number of buffered lines, in total and per merchant. */
const mostWaiting = 100
const mostWaitingOfOne = 50

const sizeOf = (file: string | undefined): number =>
  file === undefined ? 0 : (statSync(file, { throwIfNoEntry: false })?.size ?? 0)

/** Size limits per daily file, which processes share, by whose refusals they are. */
export const limitRefusals = (directory: string, name: string, today: () => string) => {
  let day = ''
  let bytesOf = new Map<string, number>()
  let bytes = 0
  let waitingOf = new Map<string, number>()
  let waiting = 0

  const begin = (now: string): void => {
    day = now
    bytesOf = new Map()
    bytes = sizeOf(dailyFiles(directory, name).find((one) => one.day === now)?.file)
  }

  return {
    mayWait: (who: string): boolean => {
      const own = waitingOf.get(who) ?? 0
      if (waiting >= mostWaiting || own >= mostWaitingOfOne) return false
      waitingOf.set(who, own + 1)
      waiting += 1
      return true
    },
    /** Call after the buffer is written. */
    written: (): void => {
      waitingOf = new Map()
      waiting = 0
    },
    mayWrite: (who: string, more: number): boolean => {
      const now = today()
      if (now !== day) begin(now)
      const own = (bytesOf.get(who) ?? 0) + more
      if (own > mostBytesOfOne || bytes + more > mostBytes) return false
      bytesOf.set(who, own)
      bytes += more
      return true
    },
  }
}
