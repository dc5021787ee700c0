import { pino } from 'pino'
import type { FundingSource } from '../application/funding.ts'
import type { Log } from '../infrastructure/logs/log.ts'
import { openService } from '../service/server.ts'
import { startServer } from '../service/server/start-server.ts'
import { readSettings } from '../infrastructure/settings.ts'
import { newFolder, withProduction, type RunningService } from './running-service.ts'

type Environment = Readonly<Record<string, string>>

const ports = { PORT: '0', METRICS_PORT: '0' }

const prepared = (environment: Environment, folder: string) => {
  const settings = readSettings({
    ...{ ...ports, MODE: 'sandbox', ...withProduction(environment), DATA_DIR: folder },
  })
  const logged: string[] = []
  const log = pino(
    { level: settings.LOG_LEVEL, errorKey: 'error' },
    { write: (line: string) => void logged.push(line) },
  ) as Log
  return { settings, logged, log }
}

/**
 * Starts the service in this process, behind a real socket; `folder` may be that of an earlier
 * one.
 */
export const startInProcess = async (environment: Environment = {}, folder = newFolder()) => {
  const { settings, logged, log } = prepared(environment, folder)
  const start = () => startServer(settings, log)
  const server = await start()
  return { ...(server satisfies RunningService), settings, folder, logged, start }
}

/** Opens the service without a socket and without work beside the requests. */
export const openInProcess = async (
  environment: Environment & { readonly PUBLIC_URL: string },
  folder = newFolder(),
  funding?: FundingSource,
) => {
  const { settings, logged, log } = prepared(environment, folder)
  const { PUBLIC_URL: address } = environment
  const opened = await openService(settings, log, { address: () => address, funding })
  const stop = async () => {
    await opened.service.stop()
    await opened.core.close()
  }
  return { ...opened, address, settings, folder, logged, stop }
}
