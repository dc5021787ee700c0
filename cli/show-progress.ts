import { SingleBar } from 'cli-progress'
import type { Progress } from '../audit/verify/problems.ts'

const secondMs = 1_000

/** A progress bar for people, and one line per second for logs. */
export const showProgress = () => {
  const bar = new SingleBar({ format: '{stage} {bar} {percentage}%', stream: process.stderr })
  let [stage, toldAt] = ['', 0]
  const tell: Progress = (now, done, of) => {
    const isNew = now !== stage
    stage = now
    if (process.stderr.isTTY) {
      if (isNew) bar.start(of, done, { stage })
      else bar.update(done, { stage })
      return
    }
    if (!isNew && done < of && performance.now() - toldAt < secondMs) return
    toldAt = performance.now()
    process.stderr.write(`${stage}: ${Math.floor((100 * done) / Math.max(of, 1))} %\n`)
  }
  return { tell, stop: () => bar.stop() }
}
