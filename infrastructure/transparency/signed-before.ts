import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

type Signed = { readonly size: number; readonly root: string }

/**
 * The newest checkpoint signed under each origin, in a file beside the key and outside the log: a
 * log restored from an older copy lacks it.
 */
export const signedBefore = (directory: string, origin: () => string) => {
  const file = join(directory, 'checkpoint-signed.json')
  const all = (): Record<string, Signed> => {
    try {
      return JSON.parse(readFileSync(file, 'utf8')) as Record<string, Signed>
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {}
      throw error
    }
  }
  return {
    remembered: (): Signed | undefined => all()[origin()],
    remember: (signed: Signed): void => {
      const draft = `${file}.draft`
      writeFileSync(draft, JSON.stringify({ ...all(), [origin()]: signed }), {
        mode: 0o600,
        flush: true,
      })
      renameSync(draft, file)
    },
  }
}
