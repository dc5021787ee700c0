import Database from '../infrastructure/sqlite.ts'

/** Where a write to the event log fails: in the middle of its rows, or around their commit. */
export type DiskFault = 'row fails' | 'commit fails' | 'commit fails, but is done'

const full = (): Error => new Database.SqliteError('database or disk is full', 'SQLITE_FULL')

/** The disk under the event log of a world; SQLite's own calls fail as they do on a full one. */
export const simulatedDisk = () => {
  const { prepare } = Database.prototype
  let fault: DiskFault | undefined
  Database.prototype.prepare = function (this: Database.Database, source: string) {
    const prepared = prepare.call(this, source)
    const isCommit = source === 'COMMIT'
    if (!isCommit && !source.startsWith('INSERT INTO events ')) return prepared
    const statement = prepared as { run: (...values: unknown[]) => unknown }
    const { run } = statement
    statement.run = (...values: unknown[]) => {
      if (fault === (isCommit ? 'commit fails' : 'row fails')) throw full()
      const done = run.apply(statement, values)
      if (isCommit && fault === 'commit fails, but is done') throw full()
      return done
    }
    return prepared
  } as typeof prepare
  return {
    /** Until it is called without a fault. */
    fail: (next?: DiskFault): void => void (fault = next),
    uninstall: (): void => void (Database.prototype.prepare = prepare),
  }
}
