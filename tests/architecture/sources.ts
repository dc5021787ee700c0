import { readdirSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'

export const root = posix.join(import.meta.dirname, '../..')

export const topFolders = [
  'domain',
  'application',
  'projections',
  'audit',
  'infrastructure',
  'texts',
  'http',
  'web',
  'cli',
  'service',
  'client',
  'tests',
  'bench',
  'demo',
  'harness',
  'simulation',
  'verifier',
] as const

export type Source = { readonly file: string; readonly text: string }

const isWritten = (name: string): boolean =>
  /\.(?:tsx?|mjs|js|css)$/.test(name) && !name.includes('generated/')

/** Handwritten sources in a folder, with paths relative to the repository. */
export const sourcesIn = (folder: string): Source[] =>
  readdirSync(posix.join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter(isWritten)
    .map((name) => `${folder}/${name}`)
    .sort()
    .map((file) => ({ file, text: readFileSync(posix.join(root, file), 'utf8') }))
