import type { Command } from 'commander'
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
import { sha256 } from '../infrastructure/keys/sha256.ts'
import { reasonOf } from '../infrastructure/system-errors.ts'
import { showProgress } from './show-progress.ts'
import { start, type EventStore, type RecordedEvent } from '../application/event-store.ts'
import type { Instant } from '../domain/time.ts'
import { nowByLog } from '../infrastructure/event-store/service-clock.ts'
import { openStoreToRead, type OpenedStore } from '../infrastructure/stores.ts'

export const line = (value: object): boolean => process.stdout.write(`${JSON.stringify(value)}\n`)

/** Reads a log, or a copy of one, without a service. */
export const withStore = async (
  settings: Settings,
  read: (store: OpenedStore) => Promise<void>,
): Promise<void> => {
  const store = await openStoreToRead(settings)
  try {
    await read(store)
  } finally {
    await store.close()
  }
}

/** @throws OperatorError if the moment is later than now, by the service's clock */
export const checkHasCome = async (store: EventStore, at: Instant): Promise<void> => {
  const now = await nowByLog(store)
  const time = (instant: Instant) => new Date(instant).toISOString()
  if (at > now) fail(`${time(at)} has not come yet: it is ${time(now)}`)
}

export const withId = async ({ readAll }: OpenedStore, id: string) => {
  for await (const batch of readAll(start)) {
    const found = batch.find((event) => event.id === id)
    if (found) return found
  }
  return undefined
}

/** An event by its position, its id, or its stream and revision. @throws OperatorError */
export const eventNamed = async (store: OpenedStore, name: string): Promise<RecordedEvent> => {
  const [, stream, revision = ''] = /^(.+-.*)@(\d{1,9})$/s.exec(name) ?? []
  const [inStream] = stream === undefined ? [] : await store.readStream(stream, Number(revision), 1)
  const found = /^\d{1,15}$/.test(name)
    ? await store.readAt(Number(name))
    : (inStream ?? (await withId(store, name)))
  return found ?? fail(`there is no event ${name}: give a position, an id, or <stream>@<revision>`)
}

type Given = {
  readonly checkpoint: readonly string[]
  readonly key: readonly PublicNoteKey[]
  readonly since?: string
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
const keysOf = (text: string, others: readonly PublicNoteKey[]): readonly PublicNoteKey[] => {
  const lines = text.trim().split('\n')
  const keys = lines.map((line) => {
    const [key = ''] = line.split(' ')
    return parseKey(sha256, key) ?? fail(`${line} is not a key in the format of /transparency/key`)
  })
  return [...others, ...keys]
}

const verify = async (settings: Settings, given: Given): Promise<Audit> => {
  const kept = given.checkpoint.map(checkpointIn)
  const since = given.since === undefined ? undefined : checkpointIn(given.since)
  const options = {
    keys: [...given.key, ...settings.WITNESSES.map(({ key }) => key)],
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

const several = (word: string, others: readonly string[]): readonly string[] => [...others, word]

/** Recorded for `/health/audit`, if a service uses the directory. */
const noteIn = ({ DATA_DIR }: Settings, found: Audit): void => {
  if (!existsSync(join(DATA_DIR, 'read-models'))) return
  try {
    lastAuditIn(DATA_DIR).write(found, Date.now())
  } catch {
    // This user may only read.
  }
}

/** `daybook verify`: audits everything. */
export const addVerifyCommand = (audit: Command, program: Command, settings: Settings): void => {
  audit
    .command('verify')
    .description('check everything: the log, its tree, rules, books, callbacks and read models')
    .option(
      '--checkpoint <file>',
      'fail unless the log continues this one, kept elsewhere',
      several,
      [],
    )
    .option('--since <file>', 'decide again only what came after this checkpoint')
    .option('--key <key>', 'a key of the log, which must have signed, or of a witness', keysOf, [])
    .action(async (given: Given) => {
      const found = await verify(settings, given)
      const isJson = program.opts<{ json?: true }>().json
      const text = verdictText(found, checks)
      const [verdict] = text.split('\n', 1)
      const told = isJson ? JSON.stringify({ verdict, ...found }, null, 2) : text
      process.stdout.write(`${told}\n`)
      if (!found.holds) process.exitCode = 1
      // The given checkpoints may be of another log.
      const isWhole = given.since === undefined && (found.holds || found.kept === 0)
      if (isWhole) noteIn(settings, found)
    })
}
