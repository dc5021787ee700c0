import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** A hash of the code that folds events into rows: `domain`, `projections` and this folder. */
export const fingerprintOfSources = (): string => {
  const hash = createHash('sha256')
  for (const folder of ['domain', 'projections', 'infrastructure/read-models']) {
    const path = fileURLToPath(new URL(`../../${folder}/`, import.meta.url))
    const sources = readdirSync(path, { recursive: true, encoding: 'utf8' })
    for (const file of sources.filter((name) => name.endsWith('.ts')).sort())
      hash.update(file).update(readFileSync(join(path, file)))
  }
  return hash.digest('hex').slice(0, 16)
}

/** Set by the build. */
declare const builtFingerprint: string | undefined

let ofSources: string | undefined

/** That of the code that runs, which does not change while it does. */
export const fingerprint = (): string =>
  typeof builtFingerprint === 'string' ? builtFingerprint : (ofSources ??= fingerprintOfSources())
