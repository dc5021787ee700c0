#!/usr/bin/env node
import { operatorProgram } from './operator/operator.ts'
import { endWithReader, failWith } from './own-process.ts'
import { readSettings, type Settings } from './settings.ts'
import { version } from './version.ts'

const settingsOf = (environment: NodeJS.ProcessEnv): Settings => {
  try {
    return readSettings(environment)
  } catch (error) {
    return failWith(error)
  }
}

/** Loaded by whoever needs it: most commands of the operator do without, and start the sooner. */
const server = () => import('./server.ts')

const runCommand = async (): Promise<void> => {
  // What is written here says who paid whom, and with what keys: files are for their owner alone.
  process.umask(0o077)
  endWithReader()
  const settings = settingsOf(process.env)
  try {
    await operatorProgram({ settings, version, server }).parseAsync()
  } catch (error) {
    failWith(error, settings)
  }
}

await runCommand()
