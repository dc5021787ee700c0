import { closeSync, constants, openSync, readFileSync, writeSync } from 'node:fs'
import type { Position, RecordedEvent } from '../../application/event-store.ts'

/** An event that somebody has seen: whoever holds an older log has lost some. */
export type Mark = Pick<RecordedEvent, 'position' | 'stream' | 'revision'> & {
  /** Event id. */
  readonly event: string
}

const size = 512

/** What was written last; undefined when there is no mark, or none that can be read. */
export const readMark = (file: string): Mark | undefined => {
  try {
    const { position, stream, revision, event } = JSON.parse(readFileSync(file, 'utf8')) as Mark
    return { position, stream, revision, event }
  } catch {
    return undefined
  }
}

/**
 * Keeps a mark in a small file, without waiting for the disk: after a power cut it may be an older
 * one, but it is never ahead of the log. A mark that cannot be written is left out, because what it
 * tells of has happened.
 */
export const markIn = (file: string) => {
  let descriptor: number | undefined
  const open = (): number => openSync(file, constants.O_RDWR | constants.O_CREAT, 0o600)
  return {
    write: (mark: Mark): void => {
      try {
        descriptor ??= open()
        // Padded, so that nothing of a longer one is left.
        writeSync(descriptor, JSON.stringify(mark).padEnd(size - 1) + '\n', 0)
      } catch {
        // The next one tries again.
      }
    },
    close: (): void => {
      if (descriptor !== undefined) closeSync(descriptor)
      descriptor = undefined
    },
  }
}

/** What is said when the log does not hold what was seen. */
export const lossOf = ({ position, stream, revision }: Mark, end: Position, by: string): string =>
  `it ends at position ${end} and lacks event ${position}, revision ${revision} of ${stream}, ` +
  `which ${by}: ` +
  'its end was lost, or an older copy was put in its place. Put the newest copy back; ' +
  'to go on without the lost events, run `daybook restore --accept`'
