import {
  cpSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { fingerprint } from '../infrastructure/read-models/fingerprint.ts'
import { readRecord, recordIn } from '../infrastructure/serving-record.ts'

const root = join(import.meta.dirname, '..')

/** What the next build folds. */
export const nextPrint = 'feedfacefeedface'

/** A copy of this build with another fingerprint, as if it folded other read models. */
const copyAsNext = (copy: string): void => {
  cpSync(join(root, 'dist'), copy, { recursive: true })
  for (const entry of readdirSync(copy, { recursive: true, encoding: 'utf8' })) {
    if (!entry.endsWith('.js')) continue
    const text = readFileSync(join(copy, entry), 'utf8')
    if (text.includes(fingerprint()))
      writeFileSync(join(copy, entry), text.replaceAll(fingerprint(), nextPrint))
  }
}

/**
 * This build and the next one, each in a folder, and a link to one of them, as an operator has two
 * releases. `earlier` is another build, in the place of this one; this one is the next then.
 */
export const makeReleases = (folder: string, earlier?: string) => {
  const built = { now: join(folder, 'now'), next: join(folder, 'next') }
  if (earlier === undefined) {
    for (const release of Object.values(built)) {
      mkdirSync(release)
      for (const name of ['package.json', 'node_modules'])
        symlinkSync(join(root, name), join(release, name))
    }
    symlinkSync(join(root, 'dist'), join(built.now, 'dist'))
    copyAsNext(join(built.next, 'dist'))
  } else {
    symlinkSync(earlier, built.now)
    symlinkSync(root, built.next)
  }
  const current = join(folder, 'current')
  const use = (release: keyof typeof built): void => {
    rmSync(current, { force: true })
    symlinkSync(built[release], current)
  }
  use('now')
  return { built, current, use }
}

/** The process that serves a folder now. */
export const pidServing = (DATA_DIR: string): number => readRecord(recordIn({ DATA_DIR }))?.pid ?? 0

/** Ends a process that is not a child of this one. */
export const endProcess = async (pid: number): Promise<void> => {
  // 0 would be all processes of this group.
  if (pid === 0) return
  try {
    process.kill(pid, 'SIGTERM')
    for (;;) {
      await new Promise(setImmediate)
      process.kill(pid, 0)
    }
  } catch {
    // It has ended.
  }
}
