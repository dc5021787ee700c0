import { steadyTime } from '../../application/machine.ts'
/** How long after concurrent requests a single one still counts as one of many, in ms. */
const crowdedMs = 100

/** Counts requests in progress. */
export const countInFlight = (elapsed = steadyTime) => {
  let count = 0
  let lastCrowd = Number.NEGATIVE_INFINITY
  const leave = (): void => {
    count -= 1
  }
  return {
    /** The same `fetch`, with requests counted until their response begins. */
    counted:
      <Parameters extends readonly unknown[], Answer>(
        fetch: (...request: Parameters) => Answer | Promise<Answer>,
      ) =>
      (...request: Parameters): Answer | Promise<Answer> => {
        count += 1
        if (count > 1) lastCrowd = elapsed()
        let answer: Answer | Promise<Answer> | undefined
        try {
          answer = fetch(...request)
          return answer
        } finally {
          if (answer instanceof Promise) answer.then(leave, leave)
          else leave()
        }
      },
    /** Whether exactly one request is in progress, and none was concurrent recently. */
    isAlone: (): boolean => count === 1 && elapsed() - lastCrowd > crowdedMs,
  }
}
