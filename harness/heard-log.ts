import { pino } from 'pino'
import type { Log } from '../infrastructure/logs/log.ts'

/** A log whose lines can be waited for. */
export const heardLog = () => {
  const lines: string[] = []
  const waiting = new Set<() => void>()
  const write = (line: string): void => {
    lines.push(line)
    for (const look of waiting) look()
  }
  const log = pino({ level: 'debug', errorKey: 'error' }, { write }) as Log
  const heard = (text: string, times = 1): Promise<void> =>
    new Promise((resolve) => {
      const look = (): void => {
        if (lines.filter((line) => line.includes(text)).length >= times) resolve()
      }
      waiting.add(look)
      look()
    })
  return { log, lines, heard }
}
