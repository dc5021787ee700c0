import Database, { isHeld } from './sqlite.ts'

/**
 * Says which of the processes on one file does what only one should do at a time. The file's lock is what tells: the
 * system gives it back when a process ends, however it ends. Nothing is ever written.
 */
export const soleProcess = (file: string) => {
  const sqlite = new Database(file, { timeout: 0 })
  let isThisOne = false
  return {
    /** Whether it is this process, which it then is until `resign`. */
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
