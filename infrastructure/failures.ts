import { resolve, sep } from 'node:path'
import { StoreUnavailable } from '../application/event-store.ts'
import { UnreadableEvent } from '../domain/events.ts'
import { UnusableLog } from './event-store/sqlite-event-file.ts'
import { UnusableKey } from './keys.ts'
import { WrongVault } from './people/vault.ts'
import { settingShown, WrongSettings, type Settings } from './settings.ts'
import Database from './sqlite.ts'
import type { Place } from './stores.ts'
import { reasonOf } from './system-errors.ts'

/** What was asked for cannot be done; the message says why. */
export class OperatorError extends Error {
  override readonly name = 'OperatorError'
}

export const fail = (message: string): never => {
  throw new OperatorError(message)
}

/** What is written to standard error, and the code that the process ends with. */
type Failure = { readonly text: string; readonly code: number }

/** The setting that says where the log is. */
export const logShown = ({ EVENT_STORE, DATA_DIR }: Place): string =>
  EVENT_STORE === 'sqlite'
    ? settingShown('DATA_DIR', DATA_DIR)
    : settingShown('EVENT_STORE', EVENT_STORE)

const listeningProblem = (code: string | undefined, { HOST, PORT }: Settings) => {
  const [host, port] = [settingShown('HOST', HOST), settingShown('PORT', PORT)]
  if (code === 'EADDRINUSE') return `${port}: another process listens there, on ${host}`
  if (code === 'EACCES') return `${port}: this user may not listen there`
  if (code === 'EADDRNOTAVAIL') return `${host}: this machine has no such address`
  return `${host}: no such host is found (${code})`
}

/** What a file of the database may be: of another kind, closed to us, full or damaged. Others are bugs. */
const fileTrouble = /^SQLITE_(?:BUSY|CANTOPEN|CORRUPT|FULL|IOERR|LOCKED|NOTADB|PERM|READONLY)/

/** Whether a file of a database cannot be used. */
export const isFileTrouble = (error: unknown): error is InstanceType<typeof Database.SqliteError> =>
  error instanceof Database.SqliteError && fileTrouble.test(error.code)

const isAround = (one: string, other: string): boolean =>
  `${resolve(one)}${sep}`.startsWith(`${resolve(other)}${sep}`)

const folderProblem = (error: NodeJS.ErrnoException, { DATA_DIR, VAULT, BLOBS }: Settings) => {
  const { path } = error
  const reason = reasonOf(error)
  if (path === undefined || reason === undefined) return
  // A folder that cannot be made is named by the first part of the path that is missing, or by the whole.
  const lies = (folder: string) => isAround(path, folder) || isAround(folder, path)
  // Blobs may lie in the data directory; what is wrong around both is wrong with that.
  if (BLOBS !== undefined && lies(BLOBS) && !isAround(DATA_DIR, path))
    return `${settingShown('BLOBS', BLOBS)}: ${reason}`
  if (lies(DATA_DIR)) return `${settingShown('DATA_DIR', DATA_DIR)}: ${path}: ${reason}`
  if (VAULT !== undefined && lies(VAULT)) return `${settingShown('VAULT', VAULT)}: ${reason}`
  return
}

const problemOf = (error: unknown, settings: Settings): string | undefined => {
  if (error instanceof UnusableKey)
    return `${settingShown('DATA_DIR', settings.DATA_DIR)}: ${error.message}`
  if (error instanceof WrongVault) return `${logShown(settings)}: ${error.message}`
  if (error instanceof UnusableLog) return `${logShown(settings)}: ${error.message}`
  if (error instanceof StoreUnavailable)
    return `${logShown(settings)}: the log cannot be used: ${error.message.replaceAll(/\s+/g, ' ').trim()}`
  if (isFileTrouble(error)) {
    const { DATA_DIR, VAULT } = settings
    const vault = VAULT === undefined ? '' : ` or ${settingShown('VAULT', VAULT)}`
    return `${settingShown('DATA_DIR', DATA_DIR)}${vault}: ${error.message} (${error.code})`
  }
  if (!(error instanceof Error)) return
  const { code, syscall } = error as NodeJS.ErrnoException
  if (syscall === 'listen' || syscall === 'getaddrinfo') return listeningProblem(code, settings)
  return folderProblem(error, settings)
}

/**
 * What to tell whoever runs a command of a failure that they can do something about: in one line, with the setting
 * that it comes from. Undefined for what must be a bug.
 */
export const failureOf = (error: unknown, settings?: Settings): Failure | undefined => {
  if (error instanceof WrongSettings) return { text: `Wrong settings:\n${error.message}`, code: 2 }
  if (error instanceof OperatorError) return { text: error.message, code: 1 }
  if (error instanceof UnreadableEvent)
    return { text: `This log is not one of this version: ${error.message}`, code: 1 }
  const problem = settings && problemOf(error, settings)
  return problem === undefined ? undefined : { text: problem, code: 1 }
}
