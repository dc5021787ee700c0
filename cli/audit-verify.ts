import { auditTree } from '../audit/transparency/audit-tree.ts'
import { examine } from '../audit/verify/examine.ts'
import { command, line, onLog, several, show, value } from './command.ts'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseCheckpoint } from '../domain/transparency/checkpoints.ts'
import { parseKey, parseNote, type PublicNoteKey } from '../domain/transparency/signed-note.ts'
import type { KeptCheckpoint } from '../audit/verify/audit-checkpoints.ts'
import { lastAuditIn } from '../audit/verify/last-audit.ts'
import { checks } from '../audit/verify/problems.ts'
import { verdictText } from '../audit/verify/verdict-words.ts'
import { verifyPlace } from '../audit/verify/verify-in-workers.ts'
import type { Audit } from '../audit/verify/verify-log.ts'
import { fail } from '../infrastructure/failures.ts'
import type { Settings } from '../infrastructure/settings.ts'
import { sha256 } from '../infrastructure/keys/keys.ts'
import { reasonOf } from '../infrastructure/system-errors.ts'
import { showProgress } from './show-progress.ts'

type VerifyOptions = {
  readonly checkpoint: readonly string[] | undefined
  readonly key: readonly PublicNoteKey[] | undefined
  readonly since: string | undefined
}

const textIn = (file: string): string => {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    return fail(`${file}: ${reasonOf(error) ?? String(error)}`)
  }
}

/** @throws OperatorError if the file is not a checkpoint; the signer is checked later */
const checkpointIn = (file: string): KeptCheckpoint => {
  const note = parseNote(textIn(file))
  const checkpoint = note && parseCheckpoint(note.text)
  if (!note || !checkpoint) return fail(`${file} contains no checkpoint`)
  const { size, root } = checkpoint
  return { size, root: Buffer.from(root).toString('base64'), by: file, note }
}

/** The keys in the lines of `/transparency/key`, without their validity periods. */
const keysOf = (text: string): readonly PublicNoteKey[] =>
  text
    .trim()
    .split('\n')
    .map((line) => {
      const [key = ''] = line.split(' ')
      return (
        parseKey(sha256, key) ?? fail(`${line} is not a key in the format of /transparency/key`)
      )
    })

const verify = async (settings: Settings, chosen: VerifyOptions): Promise<Audit> => {
  const kept = (chosen.checkpoint ?? []).map(checkpointIn)
  const since = chosen.since === undefined ? undefined : checkpointIn(chosen.since)
  const options = {
    keys: [...(chosen.key ?? []), ...settings.WITNESSES.map(({ key }) => key)],
    kept: since ? [...kept, since] : kept,
    since: since?.size ?? 0,
  }
  const { tell: progress, stop } = showProgress()
  try {
    return await verifyPlace(settings, options, { progress })
  } finally {
    stop()
  }
}

/** Recorded for `/health/audit`, if a service uses the directory. */
const noteIn = ({ DATA_DIR }: Settings, found: Audit): void => {
  if (!existsSync(join(DATA_DIR, 'read-models'))) return
  try {
    lastAuditIn(DATA_DIR).write(found, Date.now())
  } catch {
    // This user may only read.
  }
}

export const verifyCommand = command({
  name: 'verify',
  about: 'check everything: the log, its tree, rules, books, callbacks and read models',
  options: {
    checkpoint: several('<file>', 'fail unless the log continues this one, kept elsewhere'),
    since: value('<file>', 'decide again only what came after this checkpoint'),
    key: several('<key>', 'a key of the log, which must have signed, or of a witness', keysOf),
  },
  run: async (terminal, chosen) => {
    const found = await verify(terminal.settings, chosen)
    const text = verdictText(found, checks)
    const [verdict] = text.split('\n', 1)
    show(terminal, { verdict, ...found }, `${text}\n`)
    if (!found.holds) process.exitCode = 1
    // The given checkpoints may be of another log.
    const isWhole = chosen.since === undefined && (found.holds || found.kept === 0)
    if (isWhole) noteIn(terminal.settings, found)
  },
})

export const checkCommand = onLog({
  name: 'check',
  about: 'read every event and report missing positions or revisions, and damage',
  run: async ({ store, settings }) => {
    const { problems, ...found } = await examine(store, settings)
    line(found)
    for (const problem of problems) process.stderr.write(`${problem}\n`)
    if (problems.length > 0) process.exitCode = 1
  },
})

const countOf = (text: string): number =>
  /^\d{1,15}$/.test(text) ? Number(text) : fail(`${text} is not a number of events`)

export const treeCommand = onLog({
  name: 'tree',
  about: 'print the root of the Merkle tree of all events, and proofs in it',
  options: {
    size: value('<n>', 'of the first events only', countOf),
    root: value('<base64>', 'fail unless this is the root'),
    index: value('<n>', 'prove that this event is in it, from 0', countOf),
    from: value('<n>', 'prove that the tree of the first events is its beginning', countOf),
  },
  run: async ({ store }, options) => void line(await auditTree(store, options)),
})
