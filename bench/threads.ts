import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'

/** Processor time per thread of a process, in ms (Linux only). */
export const threadTimes = (pid: number): ReadonlyMap<string, number> => {
  const tasks = `/proc/${pid}/task`
  const times = new Map<string, number>()
  for (const thread of readdirSync(tasks)) {
    try {
      const [nanoseconds] = readFileSync(`${tasks}/${thread}/schedstat`, 'utf8').split(' ')
      times.set(thread, Number(nanoseconds) / 1e6)
    } catch {
      // It has ended since it was listed.
    }
  }
  return times
}

/** Processor time of all threads since the first sample. */
export const usedSince = (pid: number, before: ReadonlyMap<string, number>): number => {
  let used = 0
  for (const [thread, time] of threadTimes(pid)) used += time - (before.get(thread) ?? 0)
  return used
}

/** Waits until a process is nearly idle: a new build first folds the ends of past days. */
export const untilIdle = async (pid: number): Promise<void> => {
  const lookEveryMs = 2_000
  for (let before = threadTimes(pid); ; before = threadTimes(pid)) {
    await delay(lookEveryMs)
    if (usedSince(pid, before) < lookEveryMs / 20) return
  }
}
