import { existsSync, readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Position } from '../../application/event-store.ts'
import { fingerprint } from '../../infrastructure/read-models/fingerprint.ts'
import { makeFolder } from '../../infrastructure/open-files.ts'
import { randomUUID, wallClock } from '../../application/machine.ts'

/** The read models as of a position. */
export type MomentFile = {
  readonly position: Position
  readonly path: string
  readonly bytes: number
}

const mostFiles = 24

/** Cost of not having a file: events to fold again, times the positions affected. */
const worth = (position: Position, before: Position, after: Position): number =>
  (position - before) * (after - position)

/** The file with the lowest cost of removal, so that the remaining ones are spread over the log. */
export const cheapestToRemove = (
  files: readonly MomentFile[],
  isNeeded: (position: Position) => boolean,
): MomentFile | undefined => {
  const valued = files.map((file, index) => {
    const before = files[index - 1]?.position ?? 0
    const after = files[index + 1]?.position ?? 2 * file.position - before
    return { file, worth: worth(file.position, before, after) }
  })
  const removable = valued.filter(({ file }) => !isNeeded(file.position))
  return removable.toSorted((one, other) => one.worth - other.worth)[0]?.file
}

const name = /^as-of-([0-9a-f]{16})-(\d+)\.sqlite$/

const newDraft = (directory: string): string => join(directory, `${randomUUID()}.building`)

/** Name of an intermediate copy of a draft. */
export const intermediateOf = (draft: string): string => `${draft}.stop`

/** In ms; building one takes less. */
const draftLifetime = 86_400_000

const isOld = (path: string): boolean =>
  (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0) < wallClock() - draftLifetime

/** The files in a directory built by this version of the code; others are unusable. */
export const momentFiles = (directory: string, space: number, draft = newDraft(directory)) => {
  const print = fingerprint()

  const isOurs = (file: string): boolean => name.exec(file)?.[1] === print
  const names = (): string[] => (existsSync(directory) ? readdirSync(directory) : [])
  const fileOf = (file: string): MomentFile[] => {
    const path = join(directory, file)
    const position = Number(name.exec(file)?.[2])
    const bytes = statSync(path, { throwIfNoEntry: false })?.size
    return bytes === undefined ? [] : [{ position, path, bytes }]
  }
  const all = (): MomentFile[] =>
    names()
      .filter(isOurs)
      .flatMap(fileOf)
      .toSorted((one, other) => one.position - other.position)
  const spaceLeft = (files: readonly MomentFile[]): number =>
    files.reduce((left, { bytes }) => left - bytes, space)

  const pathOf = (position: Position): string =>
    join(directory, `as-of-${print}-${position}.sqlite`)

  return {
    all,
    pathOf,
    /** The draft of this process, which builds one at a time. */
    draft,
    makeFolder: (): void => void makeFolder(directory, 0o700),
    isKept: (position: Position): boolean => existsSync(pathOf(position)),
    /** Files to start from, nearest first. */
    upTo: (end: Position): MomentFile[] =>
      all()
        .filter(({ position }) => position <= end)
        .toReversed(),
    /** Whether another file of this size fits without removing any. */
    hasRoomFor: (bytes: number): boolean => {
      const files = all()
      return files.length < mostFiles && spaceLeft(files) >= bytes
    },
    /** Removes surplus files, but none that is needed. */
    thin: (isNeeded: (position: Position) => boolean): void => {
      for (;;) {
        const files = all()
        const isTooMuch = files.length > mostFiles || spaceLeft(files) < 0
        const removed = isTooMuch ? cheapestToRemove(files, isNeeded) : undefined
        if (!removed) return
        rmSync(removed.path, { force: true })
      }
    },
    /** Removes files of other versions, and drafts of killed processes. */
    removeOthers: (): void => {
      for (const file of names()) {
        const path = join(directory, file)
        const isLeft = name.test(file) ? !isOurs(file) : isOld(path)
        if (isLeft) rmSync(path, { force: true })
      }
    },
  }
}

export type MomentFiles = ReturnType<typeof momentFiles>
