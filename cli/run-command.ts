import { endWithReader, failWith } from '../service/server/own-process.ts'
import { readSettings, type Settings } from '../infrastructure/settings.ts'
import { version } from '../infrastructure/version.ts'
import { operatorProgram } from './operator.ts'

export const runCommand = async (environment: NodeJS.ProcessEnv): Promise<void> => {
  endWithReader()
  let settings: Settings | undefined
  try {
    settings = readSettings(environment)
    const sudoUser = environment['SUDO_USER']
    const known = settings
    const serve = async (processes: number) =>
      processes === 1
        ? (await import('../service/server/serving-client.ts')).serveInWorker(environment)
        : (await import('../service/processes/supervisor.ts')).supervise(
            environment,
            known,
            processes,
          )
    await operatorProgram({ settings, version, serve, sudoUser }).parseAsync()
  } catch (error) {
    failWith(error, settings)
  }
}
