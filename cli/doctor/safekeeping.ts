// What must not be lost: the key of the vault, and a backup.
import { existsSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { join, resolve, sep } from 'node:path'
import { checkBackup } from '../../audit/copy/backup.ts'
import { lastAuditIn } from '../../audit/verify/last-audit.ts'
import { dayMs } from '../../domain/time.ts'
import { keyOf, readVaultKeys } from '../../infrastructure/people/vault-wrapping.ts'
import { readVaultName } from '../../infrastructure/people/vault-port.ts'
import { noVaultKey, type Settings } from '../../infrastructure/settings.ts'
import { logFileIn, vaultIn } from '../../infrastructure/stores.ts'
import type { Core } from '../../service/core.ts'
import { fault, warning, worst, type Finding } from './ask.ts'

const real = (path: string): string => (existsSync(path) ? realpathSync(path) : resolve(path))

const isIn = (file: string, folder: string): boolean =>
  real(file).startsWith(`${real(folder)}${sep}`)

const openToOthers = (path: string): Finding | false =>
  (statSync(path).mode & 0o007) !== 0 &&
  fault(`everybody on this machine can open ${path}`, `run chmod o-rwx ${path}`)

const largestKeyFile = 1_024

/** Files of a folder that hold one of these keys. */
const copiesIn = (folder: string, ids: readonly string[]): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true }).flatMap((entry) => {
    const path = join(entry.parentPath, entry.name)
    if (!entry.isFile() || statSync(path).size > largestKeyFile) return []
    const lines = readFileSync(path, 'utf8').split('\n')
    return lines.some((line) => ids.includes(keyOf(line.trim())?.id ?? '')) ? path : []
  })

/** The key that wraps the vault lies apart from the vault and from backups. */
export const vaultFinding = (
  { vault }: Pick<Core, 'vault'>,
  settings: Settings,
  backup: string | undefined,
): Finding => {
  const { DATA_DIR, VAULT_KEY_FILE: file = noVaultKey } = settings
  const ids = readVaultKeys(settings).map(({ id }) => id)
  const wrappedBy = vault.wrappedBy()
  if (ids.length === 0 || wrappedBy === undefined)
    return fault(
      'the vault lies in the clear',
      'set VAULT_KEY_FILE or VAULT_KEY_COMMAND, and run daybook vault rewrap',
    )
  const isFile = file !== noVaultKey
  const folders = [DATA_DIR, ...(backup === undefined ? [] : [backup])]
  const beside = isFile ? folders.filter((folder) => isIn(file, folder)) : []
  const copies = backup === undefined ? [] : copiesIn(backup, ids)
  const problems = [
    ...[...beside, ...copies].map((place) =>
      fault(
        `the key of the vault lies with what it protects: ${place}`,
        'keep it apart: whoever has both reads all personal data',
      ),
    ),
    isFile && openToOthers(file),
    wrappedBy !== ids[0] &&
      warning(`an older key, ${wrappedBy}, wraps the vault`, 'run daybook vault rewrap'),
  ]
  return worst(problems, `key ${wrappedBy} wraps the vault; keep a copy of it elsewhere`)
}

/** The newest backup: the folder itself, or one in it. */
const newestBackup = (folder: string): string | undefined => {
  const madeAt = (one: string) =>
    statSync(logFileIn({ DATA_DIR: one }), { throwIfNoEntry: false })?.mtimeMs ?? 0
  const inside = existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : []
  const [newest] = [folder, ...inside].toSorted((one, other) => madeAt(other) - madeAt(one))
  return newest !== undefined && madeAt(newest) > 0 ? newest : undefined
}

/** When the first event that a backup lacks happened; undefined if it lacks none. */
const lacksSince = async ({ store, settings }: Core, position: number, lastAt: number) => {
  // Positions of another store are others.
  if (settings.EVENT_STORE !== 'sqlite') return lastAt
  for await (const [first] of store.readAll(position))
    if (first) return Number(first.metadata['at'])
  return undefined
}

/** A backup can be restored, belongs to this log, and lacks no event older than a day. */
export const backupFinding = async (
  core: Core,
  settings: Settings,
  folder: string | undefined,
  now: number,
): Promise<Finding> => {
  const advice = 'run daybook backup into a new folder there each night'
  if (folder === undefined)
    return fault('no backup is known', 'give --backup the folder that your backups are in')
  const newest = newestBackup(folder)
  if (newest === undefined) return fault(`there is no backup in ${folder}`, advice)
  const { last_position, last_event_at } = await checkBackup(newest, settings)
  if (readVaultName(vaultIn({ DATA_DIR: newest })).name !== core.vault.name)
    return fault(`${newest} is of another log`, 'give --backup the folder of this one')
  const since = await lacksSince(core, last_position, Date.parse(last_event_at))
  const isOnSameDisk = statSync(newest).dev === statSync(settings.DATA_DIR).dev
  const problems = [
    since !== undefined &&
      now - since > dayMs &&
      fault(`${newest} lacks events since ${new Date(since).toISOString()}`, advice),
    openToOthers(newest),
    isOnSameDisk &&
      warning(`${newest} is on the disk of DATA_DIR`, 'copy backups to another machine'),
  ]
  return worst(problems, `${newest} can be restored, with all up to ${last_event_at}`)
}

/** The log, and its last audit. */
export const logFinding = (
  { DATA_DIR, EVENT_STORE, ...settings }: Settings,
  now: number,
): Finding => {
  const last = lastAuditIn(DATA_DIR).read()
  const latest = now - 2 * settings.AUDIT_EVERY_MINUTES * 60_000
  const problems = [
    /[?&]tls=false/i.test(EVENT_STORE) &&
      warning('EventStoreDB is used without TLS', 'give it certificates, or a network of its own'),
    openToOthers(DATA_DIR),
    last?.holds === false &&
      fault(`the last audit found: ${last.problem?.text}`, 'see daybook audit verify'),
    (last?.held?.at ?? 0) < latest &&
      warning('no audit of the log has held lately', 'run daybook audit verify'),
  ]
  return worst(problems, `the last audit held at ${new Date(last?.held?.at ?? 0).toISOString()}`)
}
