import { type Command, CommanderError } from 'commander'
import { openCore, type Core } from '../service/core.ts'
import { failureOf } from '../infrastructure/failures.ts'
import { makeLog } from '../infrastructure/logs/log.ts'
import { operatorProgram } from '../cli/operator.ts'
import { beginProduction } from '../service/mode-of-log.ts'
import type { Settings } from '../infrastructure/settings.ts'

/** Makes a log as a service does at its first start. */
export const beginLog = async (settings: Settings): Promise<void> => {
  const core = await openCore(settings, makeLog('silent'))
  if (settings.MODE === 'production') await beginProduction(core)
  await core.close()
}

/** A mistake in words would end this process without a word. */
const throwing = (command: Command): Command => {
  for (const part of command.commands) throwing(part as Command)
  return command.exitOverride()
}

type Printed = { readonly code: number; readonly output: string; readonly errors: string }

/**
 * Runs the operator's commands in this process, where nothing else may print meanwhile; with a core
 * of their own unless one is given.
 */
export const operatorHere =
  (settings: Settings, core?: Core) =>
  async (...words: string[]): Promise<Printed> => {
    const printed = { code: 0, output: '', errors: '' }
    const [stdout, stderr] = [process.stdout.write, process.stderr.write]
    process.stdout.write = (text: unknown) => (printed.output += String(text)) !== ''
    process.stderr.write = (text: unknown) => (printed.errors += String(text)) !== ''
    try {
      const program = operatorProgram({ settings, version: '0', ...(core && { core }) })
      await throwing(program).parseAsync(words, { from: 'user' })
      printed.code = Number(process.exitCode ?? 0)
    } catch (error) {
      const failure = failureOf(error, settings)
      if (failure === undefined && !(error instanceof CommanderError)) throw error
      printed.code = error instanceof CommanderError ? error.exitCode : (failure?.code ?? 0)
      if (failure) printed.errors += `${failure.text}\n`
    } finally {
      Object.assign(process.stdout, { write: stdout })
      Object.assign(process.stderr, { write: stderr })
      process.exitCode = undefined
    }
    return printed
  }
