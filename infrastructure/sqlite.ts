import type BetterSqlite3 from 'better-sqlite3'
import { createRequire } from 'node:module'

/** Node-API 10 came with Node 22.14; Node 20 will never have it. */
const release = Number(process.versions['napi']) >= 10 ? 'better-sqlite3-13' : 'better-sqlite3'

/** @throws Error when dependencies were installed with another version of Node, or without the optional ones */
const load = (): typeof BetterSqlite3 => {
  try {
    const Loaded = createRequire(import.meta.url)(release) as typeof BetterSqlite3
    // Its compiled part is loaded with the first database, and fits one version of Node.
    new Loaded(':memory:').close()
    return Loaded
  } catch (error) {
    const problem = `${release}, which Node ${process.version} needs, cannot be loaded: run \`npm ci\``
    throw new Error(problem, { cause: error })
  }
}

/**
 * better-sqlite3 in the release that goes with this version of Node: 13 cannot be loaded without Node-API 10, and 12 aborts
 * the process when a statement is collected as garbage on late releases of Node 24 (seen on 24.21).
 */
const Database: typeof BetterSqlite3 = load()

/** Whether a call has failed because another connection holds the file. */
export const isHeld = (error: unknown): boolean =>
  error instanceof Database.SqliteError && error.code.startsWith('SQLITE_BUSY')

/** What SQLite cannot do with a file is told with its name. */
export const inFile = <Opened>(file: string, open: () => Opened): Opened => {
  try {
    return open()
  } catch (error) {
    if (error instanceof Database.SqliteError) error.message = `${file}: ${error.message}`
    throw error
  }
}

declare namespace Database {
  type Database = BetterSqlite3.Database
  type Options = BetterSqlite3.Options
}

export default Database
