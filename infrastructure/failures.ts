import { resolve, sep } from 'node:path'
import { DamagedEvent, StoreUnavailable } from '../application/event-store.ts'
import { UnreadableEvent } from '../domain/events.ts'
import { UnusableLog } from './event-store/sqlite-event-file.ts'
import { UnusableKey } from './keys/keys.ts'
import { WrongVault } from './people/vault-port.ts'
import { VaultLocked } from './people/vault-wrapping.ts'
import { printSetting, WrongSettings, type Settings } from './settings.ts'
import Database from './sqlite.ts'
import type { Place } from './stores.ts'
import { diskIsFull, isDiskFull, reasonOf } from './system-errors.ts'

/** The command failed; the message says why. */
export class OperatorError extends Error {
  override readonly name = 'OperatorError'
}

export const fail = (message: string): never => {
  throw new OperatorError(message)
}

/** A line for standard error, and the exit code. */
type Failure = { readonly text: string; readonly code: number }

export const logSetting = ({ EVENT_STORE, DATA_DIR }: Place): string =>
  EVENT_STORE === 'sqlite'
    ? printSetting('DATA_DIR', DATA_DIR)
    : printSetting('EVENT_STORE', EVENT_STORE)

type ListeningError = NodeJS.ErrnoException & {
  readonly port?: number
  readonly address?: string
  readonly hostname?: string
}

const isOfMetrics = (
  { port, address, hostname }: ListeningError,
  { HOST, PORT, METRICS_HOST, METRICS_PORT }: Settings,
): boolean => {
  const isAt = (itsPort: number, host: string): boolean =>
    (port ?? itsPort) === itsPort && (address ?? hostname) === host
  return isAt(METRICS_PORT, METRICS_HOST) && !isAt(PORT, HOST)
}

const listeningProblem = (error: ListeningError, settings: Settings) => {
  const { code } = error
  const { HOST, PORT, METRICS_HOST, METRICS_PORT } = settings
  const [host, port] = isOfMetrics(error, settings)
    ? [printSetting('METRICS_HOST', METRICS_HOST), printSetting('METRICS_PORT', METRICS_PORT)]
    : [printSetting('HOST', HOST), printSetting('PORT', PORT)]
  if (code === 'EADDRINUSE') return `${port}: already in use by another process on ${host}`
  if (code === 'EACCES') return `${port}: this user lacks permission to listen there`
  if (code === 'EADDRNOTAVAIL') return `${host}: this machine has no such address`
  return `${host}: there is no such host (${code})`
}

/** Errors of the database file; all other errors are bugs. */
const fileTrouble = /^SQLITE_(?:BUSY|CANTOPEN|CORRUPT|FULL|IOERR|LOCKED|NOTADB|PERM|READONLY)/

export const isFileTrouble = (error: unknown): error is InstanceType<typeof Database.SqliteError> =>
  error instanceof Database.SqliteError && fileTrouble.test(error.code)

/** Whether a damaged file makes a request fail, which a good copy of the file would fix. */
export const isFileDamage = (error: unknown): boolean =>
  isFileTrouble(error) || error instanceof DamagedEvent

const isAround = (one: string, other: string): boolean =>
  `${resolve(one)}${sep}`.startsWith(`${resolve(other)}${sep}`)

const folderProblem = (error: NodeJS.ErrnoException, { DATA_DIR, VAULT, BLOBS }: Settings) => {
  const { path } = error
  const reason = reasonOf(error)
  if (path === undefined || reason === undefined) return
  // If a directory cannot be created, the path is its first missing part or all of it.
  const lies = (folder: string) => isAround(path, folder) || isAround(folder, path)
  // Blobs may be in the data directory; then name that one.
  if (BLOBS !== undefined && lies(BLOBS) && !isAround(DATA_DIR, path))
    return `${printSetting('BLOBS', BLOBS)}: ${reason}`
  if (lies(DATA_DIR)) return `${printSetting('DATA_DIR', DATA_DIR)}: ${path}: ${reason}`
  if (VAULT !== undefined && lies(VAULT)) return `${printSetting('VAULT', VAULT)}: ${reason}`
  return
}

/** SQLite tells a full disk as other errors too, and a write to an open file names no path. */
const fullDiskProblem = (error: unknown, { DATA_DIR, VAULT, BLOBS }: Settings) => {
  const isOfDisk =
    isFileTrouble(error) || error instanceof StoreUnavailable || reasonOf(error) === diskIsFull
  if (!isOfDisk) return
  const places = { DATA_DIR, ...(VAULT !== undefined && { VAULT }), ...(BLOBS && { BLOBS }) }
  const full = Object.entries(places).find(([, place]) => isDiskFull(place))
  return full && `${printSetting(full[0] as keyof Settings, full[1])}: ${diskIsFull}`
}

const problemOf = (error: unknown, settings: Settings): string | undefined => {
  if (error instanceof UnusableKey)
    return `${printSetting('DATA_DIR', settings.DATA_DIR)}: ${error.message}`
  if (error instanceof WrongVault) return `${logSetting(settings)}: ${error.message}`
  if (error instanceof UnusableLog) return `${logSetting(settings)}: ${error.message}`
  if (error instanceof VaultLocked) return `${logSetting(settings)}: ${error.message}`
  if (error instanceof DamagedEvent)
    return `${logSetting(settings)}: ${error.message}. Put back a sound copy of the log`
  const fullDisk = fullDiskProblem(error, settings)
  if (fullDisk !== undefined) return fullDisk
  if (error instanceof StoreUnavailable) {
    const why = error.message.replaceAll(/\s+/g, ' ').trim()
    return `${logSetting(settings)}: the log cannot be used: ${why}`
  }
  if (isFileTrouble(error)) {
    const { DATA_DIR, VAULT } = settings
    const vault = VAULT === undefined ? '' : ` or ${printSetting('VAULT', VAULT)}`
    return `${printSetting('DATA_DIR', DATA_DIR)}${vault}: ${error.message} (${error.code})`
  }
  if (!(error instanceof Error)) return
  const { syscall } = error as NodeJS.ErrnoException
  // If processes share a port, their supervisor binds it.
  if (syscall === 'listen' || syscall === 'bind' || syscall === 'getaddrinfo')
    return listeningProblem(error, settings)
  return folderProblem(error, settings)
}

/**
 * One line about a failure that the operator can fix, with the relevant setting. Undefined for a
 * bug.
 */
export const failureOf = (error: unknown, settings?: Settings): Failure | undefined => {
  if (error instanceof WrongSettings) return { text: `Wrong settings:\n${error.message}`, code: 2 }
  if (error instanceof OperatorError) return { text: error.message, code: 1 }
  if (error instanceof UnreadableEvent)
    return { text: `This log is not one of this version: ${error.message}`, code: 1 }
  const problem = settings && problemOf(error, settings)
  return problem === undefined ? undefined : { text: problem, code: 1 }
}
