import { existsSync, readFileSync } from 'node:fs'

/** The repository, or `dist`, where the build copies each asset to the same path. */
const root = new URL('../', import.meta.url)

/** The sources, the build's output, and packages. */
const places = ['', 'dist/', 'node_modules/']

/** Reads a file by its path in the repository, in the build or in a package. */
export const readAsset = (path: string): Uint8Array<ArrayBuffer> => {
  const urls = places.map((place) => new URL(place + path, root))
  return new Uint8Array(readFileSync(urls.find((url) => existsSync(url)) ?? new URL(path, root)))
}
