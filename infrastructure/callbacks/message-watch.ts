import { clearTimeout, setTimeout } from '../../application/machine.ts'
/** Minimum time between two checks, however often the read models change. */
const lookEveryMs = 50
const mostWaiting = 2000
const mostOfOneMerchant = 16

type Needs = {
  /** Rank of the merchant's last message. */
  readonly lastPlace: (merchant: string) => number
}

type Waiting = { readonly after: number; readonly resume: () => void }

/** Lets requests wait for a merchant's next message (long polling). */
export const watchMessages = ({ lastPlace }: Needs) => {
  const waiting = new Map<string, Set<Waiting>>()
  let count = 0
  let isLookDue = false
  let hasEnded = false

  /** Requests look for themselves if it cannot be read, and are answered with the failure. */
  const lastPlaceIfReadable = (merchant: string): number => {
    try {
      return lastPlace(merchant)
    } catch {
      return Infinity
    }
  }

  const look = (): void => {
    isLookDue = false
    for (const [merchant, all] of waiting) {
      const last = lastPlaceIfReadable(merchant)
      for (const { after, resume } of all) if (last > after) resume()
    }
  }

  return {
    onFolded: (): void => {
      if (count === 0 || isLookDue) return
      isLookDue = true
      setTimeout(look, lookEveryMs)
    },
    /**
     * Resolves when there is a later message, after a timeout, or at once if too many requests
     * wait.
     */
    untilMessage: (merchant: string, after: number, milliseconds: number): Promise<void> =>
      new Promise((resolve) => {
        const own = waiting.get(merchant) ?? new Set()
        const isFull = count >= mostWaiting || own.size >= mostOfOneMerchant
        if (hasEnded || isFull || lastPlace(merchant) > after) return resolve()
        const resume = (): void => {
          clearTimeout(timer)
          if (!own.delete(entry)) return
          count -= 1
          if (own.size === 0) waiting.delete(merchant)
          resolve()
        }
        const entry = { after, resume }
        const timer = setTimeout(resume, milliseconds)
        waiting.set(merchant, own.add(entry))
        count += 1
      }),
    /** Ends all waits, so that the service can stop. */
    end: (): void => {
      hasEnded = true
      for (const all of [...waiting.values()]) for (const { resume } of [...all]) resume()
    },
  }
}
