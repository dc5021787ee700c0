import { readdirSync, readFileSync } from 'node:fs'

/** Milliseconds of a processor that the threads of a process have used; Linux tells. */
export const threadTimes = (pid: number): ReadonlyMap<string, number> => {
  const tasks = `/proc/${pid}/task`
  const times = new Map<string, number>()
  for (const thread of readdirSync(tasks)) {
    const [nanoseconds] = readFileSync(`${tasks}/${thread}/schedstat`, 'utf8').split(' ')
    times.set(thread, Number(nanoseconds) / 1e6)
  }
  return times
}

/** What all threads have used together since the times were taken. */
export const usedSince = (pid: number, before: ReadonlyMap<string, number>): number => {
  let used = 0
  for (const [thread, time] of threadTimes(pid)) used += time - (before.get(thread) ?? 0)
  return used
}
