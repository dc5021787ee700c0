import type BetterSqlite3 from 'better-sqlite3'
import { createRequire } from 'node:module'

/** Node-API 10 needs Node 22.14. */
const release = Number(process.versions['napi']) >= 10 ? 'better-sqlite3-13' : 'better-sqlite3'

/** @throws Error if dependencies were installed for another Node, or without optional ones */
const load = (): typeof BetterSqlite3 => {
  try {
    const Loaded = createRequire(import.meta.url)(release) as typeof BetterSqlite3
    // The first database loads the compiled part, which fits one version of Node.
    new Loaded(':memory:').close()
    return Loaded
  } catch (error) {
    const needed = `${release}, which Node ${process.version} needs`
    throw new Error(`${needed}, cannot be loaded: run \`npm ci\``, { cause: error })
  }
}

/**
 * better-sqlite3 for this version of Node: 13 needs Node-API 10; 12 aborts on late releases of Node
 * 24 (seen on 24.21) when a statement is garbage collected.
 */
const Database: typeof BetterSqlite3 = load()

/** Whether another connection has locked the file. */
export const isHeld = (error: unknown): boolean =>
  error instanceof Database.SqliteError && error.code.startsWith('SQLITE_BUSY')

/** Adds the file's name to SQLite's errors. */
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
