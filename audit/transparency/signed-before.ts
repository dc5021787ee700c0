import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Mark } from '../../infrastructure/event-store/marks.ts'

type Signed = {
  readonly size: number
  readonly root: string
  /** The newest event at that time. */
  readonly seen?: Mark | undefined
}

const fileIn = (directory: string): string => join(directory, 'checkpoint-signed.json')

const read = (directory: string): Record<string, Signed> => {
  try {
    return JSON.parse(readFileSync(fileIn(directory), 'utf8')) as Record<string, Signed>
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {}
    throw error
  }
}

const write = (directory: string, all: Record<string, Signed>): void => {
  const draft = `${fileIn(directory)}.draft`
  writeFileSync(draft, JSON.stringify(all), { mode: 0o600, flush: true })
  renameSync(draft, fileIn(directory))
}

/** The newest event that was there when a checkpoint was signed, noted beside the keys. */
export const seenWhenSigned = (directory: string): Mark | undefined =>
  Object.values(read(directory))
    .flatMap(({ seen }) => seen ?? [])
    .toSorted((one, other) => other.position - one.position)[0]

/** The operator goes on without it. */
export const forgetSeen = (directory: string): void => {
  const all = Object.entries(read(directory))
  if (all.some(([, { seen }]) => seen))
    write(
      directory,
      Object.fromEntries(all.map(([origin, { seen: _, ...signed }]) => [origin, signed])),
    )
}

/**
 * The newest checkpoint signed under each origin, in a file beside the key and outside the log: a
 * log restored from an older copy lacks it.
 */
export const signedBefore = (
  directory: string,
  origin: () => string,
  newest: () => Promise<Mark | undefined>,
) => ({
  remembered: (): Signed | undefined => read(directory)[origin()],
  remember: async (signed: Signed): Promise<void> => {
    const seen = await newest()
    write(directory, { ...read(directory), [origin()]: { ...signed, seen } })
  },
})
