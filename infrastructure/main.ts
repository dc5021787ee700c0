#!/usr/bin/env node
import { serve as listen, type ServerType } from '@hono/node-server'
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { makeAccess } from '../http/access.ts'
import { linksOf } from '../http/addresses.ts'
import { isRedirectUri } from '../http/application.ts'
import { makeApp } from '../http/app.ts'
import { namesOf } from '../http/brand.ts'
import { callbackMessage } from '../http/callback-message.ts'
import { openApi } from '../http/openapi.ts'
import { allRoutes, type RouteNeeds } from '../http/routes.ts'
import { stringToSign } from '../http/signature.ts'
import { formatDateTime } from '../http/wire.ts'
import { makeAuthorizationServer } from './authorization-server.ts'
import { openCore } from './core.ts'
import { makeLog } from './log.ts'
import { operatorProgram } from './operator.ts'
import { makeSandboxData } from './sandbox-data.ts'
import { startService } from './service.ts'
import { readSettings, WrongSettings, type Settings } from './settings.ts'

const packageFile = new URL(
  import.meta.url.includes('/dist/') ? '../../package.json' : '../package.json',
  import.meta.url,
)
const { version } = JSON.parse(readFileSync(packageFile, 'utf8')) as { version: string }

const addressOf = (server: ServerType): string => {
  const { address, family, port } = server.address() as AddressInfo
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`
}

const signalled = (): Promise<void> =>
  new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => resolve())
  })

/** Runs the service until it is told to stop; then finishes the requests that are under way. */
const serve = async (settings: Settings): Promise<void> => {
  const log = makeLog(settings.LOG_LEVEL)
  const core = await openCore(settings, log)
  let publicUrl = settings.PUBLIC_URL ?? `http://${settings.HOST}:${settings.PORT}`
  const links = linksOf(() => ({ publicUrl, absoluteUris: settings.ABSOLUTE_URIS }))
  const names = namesOf({
    headerPrefix: settings.HEADER_PREFIX,
    mediaVendor: settings.MEDIA_VENDOR,
  })
  const greeting =
    settings.MODE === 'sandbox' ? `${await makeSandboxData(core, settings.DATA_DIR)}\n` : ''
  const server = await makeAuthorizationServer(core, () => publicUrl)
  const service = await startService(
    core,
    settings,
    log,
    {
      names,
      stringToSign,
      formatDateTime,
      message: (message, history, uri) =>
        callbackMessage({ links, views: server.views }, message, history, uri),
    },
    server,
  )
  const authenticate = makeAccess({ ...service.access, names })
  const app = makeApp({
    routes: allRoutes({ ...service.routes, authenticate, links, names, version }),
    names,
    authenticate,
    publicUrl: settings.PUBLIC_URL,
    now: core.now,
    newId: randomUUID,
    observe: ({ requestId, method, path, status, milliseconds }) => {
      service.observe(method, path, status, milliseconds)
      log.debug({ requestId, method, path, status, milliseconds }, 'answered')
    },
    onBug: (error, requestId) => log.error({ error, requestId }, 'a bug'),
  })
  const { HOST: hostname, PORT: port } = settings
  const listening = await new Promise<ServerType>((resolve, reject) => {
    const starting: ServerType = listen({ fetch: app.fetch, hostname, port }, () =>
      resolve(starting),
    )
    starting.once('error', reject)
  })
  const address = addressOf(listening)
  publicUrl = settings.PUBLIC_URL ?? address
  process.stdout.write(`${greeting}listening on ${address}\n`)

  await signalled()
  service.endStreams()
  const closed = new Promise((resolve) => listening.close(resolve))
  if ('closeIdleConnections' in listening) listening.closeIdleConnections()
  await closed
  await service.stop()
  await core.close()
  log.flush()
}

/** The OpenAPI document, without a service: the routes are values, and none of their handlers is called. */
const described = (settings: Settings): object => {
  const names = namesOf({
    headerPrefix: settings.HEADER_PREFIX,
    mediaVendor: settings.MEDIA_VENDOR,
  })
  const sandbox = settings.MODE === 'sandbox' ? {} : undefined
  return openApi(allRoutes({ names, version, sandbox } as RouteNeeds), names, version)
}

try {
  const settings = readSettings(process.env)
  await operatorProgram({
    settings,
    version,
    serve,
    openApi: () => described(settings),
    isRedirectUri: (text) => isRedirectUri(text, settings.MODE === 'sandbox'),
  }).parseAsync()
} catch (error) {
  if (!(error instanceof WrongSettings)) throw error
  process.stderr.write(`Wrong settings:\n${error.message}\n`)
  process.exitCode = 2
}
