import type BetterSqlite3 from 'better-sqlite3'
import { createRequire } from 'node:module'

/** Node-API 10 came with Node 22.14; Node 20 will never have it. */
const release = Number(process.versions['napi']) >= 10 ? 'better-sqlite3-13' : 'better-sqlite3'

/**
 * better-sqlite3 as this version of Node can bear it: release 13 needs Node-API 10, and release 12 aborts the process on
 * Node 24.19 and newer as soon as a statement is collected as garbage.
 */
const Database = createRequire(import.meta.url)(release) as typeof BetterSqlite3

declare namespace Database {
  type Database = BetterSqlite3.Database
  type Options = BetterSqlite3.Options
}

export default Database
