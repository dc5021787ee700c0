import { readFileSync } from 'node:fs'

/** Fewer do not suffice for the files of the service and a few connections. */
const least = 128
/** Connections, callbacks under way and live pages of a busy service. */
const enough = 4096

/** How many files this process may have open, by the text of /proc/self/limits. */
export const openFilesIn = (limits: string): number | undefined => {
  const [, soft] = /^Max open files +(\d+)/m.exec(limits) ?? []
  return soft === undefined ? undefined : Number(soft)
}

/** Undefined where the system does not say. */
const openFiles = (): number | undefined => {
  try {
    return openFilesIn(readFileSync('/proc/self/limits', 'utf8'))
  } catch {
    return undefined
  }
}

type FewOpenFiles = { readonly isTooFew: boolean; readonly text: string }

/** What to say of a limit that is low; undefined for one that is not. */
export const fewOpenFiles = (limit = openFiles()): FewOpenFiles | undefined => {
  if (limit === undefined || limit >= enough) return undefined
  const what = `only ${limit} files can be open at a time, connections among them`
  const text = `${what}: raise the limit (ulimit -n) to ${enough} or more`
  return { isTooFew: limit < least, text }
}
