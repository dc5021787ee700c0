import { closeSync, constants, openSync, readFileSync, writeSync } from 'node:fs'
import type { Position, RecordedEvent } from '../../application/event-store.ts'

/** An event that was seen: a log without it has lost events. */
export type Mark = Pick<RecordedEvent, 'position' | 'stream' | 'revision'> & {
  readonly event: string
}

const size = 512

/** The last mark; undefined if there is none, or it is unreadable. */
export const readMark = (file: string): Mark | undefined => {
  try {
    const { position, stream, revision, event } = JSON.parse(readFileSync(file, 'utf8')) as Mark
    return { position, stream, revision, event }
  } catch {
    return undefined
  }
}

/**
 * Keeps a mark in a small file, without syncing: after a power cut it may be older, but it is never
 * ahead of the log. A failed write is ignored, because the marked event has already happened.
 */
export const markIn = (file: string) => {
  let descriptor: number | undefined
  const open = (): number => openSync(file, constants.O_RDWR | constants.O_CREAT, 0o600)
  return {
    write: (mark: Mark): void => {
      try {
        descriptor ??= open()
        // Padded, so that nothing of a longer mark remains.
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

/** The error message if the log lacks an event that was seen. */
export const lossOf = ({ position, stream, revision }: Mark, end: Position, by: string): string =>
  `it ends at position ${end} and lacks event ${position}, revision ${revision} of ${stream}, ` +
  `which ${by}: ` +
  'its end was lost, or an older copy was put in its place. Put the newest copy back; ' +
  'to go on without the lost events, run `daybook restore --accept`'
