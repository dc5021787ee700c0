import { existsSync, readFileSync } from 'node:fs'

/** The repository, or `dist`: the build copies each asset to the same path below it. */
const root = new URL('../', import.meta.url)

/** Reads a file that is no code, by its path in the repository or in a package. */
export const readAsset = (path: string): Uint8Array<ArrayBuffer> => {
  const own = new URL(path, root)
  return new Uint8Array(readFileSync(existsSync(own) ? own : new URL(`node_modules/${path}`, root)))
}
