import { readdirSync, readFileSync } from 'node:fs'

/** The nice value of each thread of this process (proc(5)). */
export const nicenessOfThreads = (): number[] =>
  readdirSync('/proc/self/task').map((thread) => {
    const stat = readFileSync(`/proc/self/task/${thread}/stat`, 'utf8')
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[16])
  })
