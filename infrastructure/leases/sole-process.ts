import Database, { isHeld } from '../sqlite.ts'

/**
 * Elects one process by a lock on a file, which the system releases when the process ends. Nothing
 * is written.
 */
export const soleProcess = (file: string) => {
  const sqlite = new Database(file, { timeout: 0 })
  let isThisOne = false
  return {
    /** Whether this process is elected; it stays elected until `resign`. */
    isOurs: (): boolean => {
      try {
        if (!isThisOne) sqlite.exec('BEGIN EXCLUSIVE')
        isThisOne = true
      } catch (error) {
        if (!isHeld(error)) throw error
      }
      return isThisOne
    },
    resign: (): void => void sqlite.close(),
  }
}
