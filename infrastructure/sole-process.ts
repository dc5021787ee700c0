import Database, { isHeld } from './sqlite.ts'

/**
 * Elects one of the processes on a file by its lock, which the system releases when a process ends.
 * Nothing is written.
 */
export const soleProcess = (file: string) => {
  const sqlite = new Database(file, { timeout: 0 })
  let isThisOne = false
  return {
    /** Whether this process is elected; it stays so until `resign`. */
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
