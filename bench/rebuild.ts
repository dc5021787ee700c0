import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { readSettings } from '../infrastructure/settings.ts'
import { openStore } from '../infrastructure/stores.ts'
import { seed } from './histories.ts'

const program = fileURLToPath(new URL('../dist/service/main.js', import.meta.url))

/** Like `npm run daybook`. */
const command = ['--max-semi-space-size=64', program, 'rebuild']

const figureIn = (text: string, name: string): number =>
  Number(new RegExp(`^${name}: (.+)$`, 'm').exec(text)?.[1])

/** Fills a log, then folds it into new read models with the operator's command. */
export const measureRebuild = async (directory: string, events: number) => {
  const store = await openStore(readSettings({ DATA_DIR: directory }))
  await seed(store, events)
  await store.close()
  const env = { ...process.env, DATA_DIR: directory }
  const { stdout } = await promisify(execFile)(process.execPath, command, { env })
  return {
    events: figureIn(stdout, 'events'),
    events_per_second: figureIn(stdout, 'events_per_second'),
  }
}
