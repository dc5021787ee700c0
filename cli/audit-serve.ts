import { once } from 'node:events'
import { lookup } from 'node:dns/promises'
import { createSecureContext } from 'node:tls'
import {
  holdersIn,
  readTokens,
  WrongTokens,
  type Tokens,
} from '../audit/eventstoredb-server/tokens.ts'
import { fail } from '../infrastructure/failures.ts'
import { makePlainLog } from '../infrastructure/logs/log.ts'
import { isWithin } from '../infrastructure/networks.ts'
import { openSecurityLogIn } from '../infrastructure/logs/security-changes.ts'
import type { Settings } from '../infrastructure/settings.ts'
import { reasonOf } from '../infrastructure/system-errors.ts'
import { command, flag, preset, value, withStore, type ValuesOf } from './command.ts'
import { contentOf } from './arguments.ts'

/** The default port of EventStoreDB. */
const usualPort = 2_113

const portOf = (text: string): number =>
  /^\d{1,5}$/.test(text) && Number(text) < 65_536 ? Number(text) : fail(`${text} is not a port`)

const options = {
  host: preset('<host>', 'where to listen', '127.0.0.1'),
  port: preset('<port>', '0 picks a free one', usualPort, portOf),
  cert: value('<file>', 'certificate of the server, PEM, with those that signed it'),
  key: value('<file>', 'its key, PEM'),
  tokenFile: value(
    '<file>',
    'who may read besides auditors with a token: a name and a token a line',
  ),
  insecure: flag('without TLS, for clients on this machine; needs no token'),
}

type ServeOptions = ValuesOf<typeof options>

const isLoopback = (address: string): boolean =>
  isWithin(address, '127.0.0.0/8') || isWithin(address, '::1')

const addressOf = async (host: string): Promise<string> => {
  try {
    return (await lookup(host)).address
  } catch {
    return fail(`--host ${host}: there is no such host`)
  }
}

const pairIn = async (certFile: string, keyFile: string) => {
  const [cert, key] = [await contentOf(certFile), await contentOf(keyFile)]
  try {
    createSecureContext({ cert, key })
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    fail(`${certFile} and ${keyFile} are not a PEM certificate and its key: ${why}`)
  }
  return { cert, key }
}

const tokensIn = async (file: string): Promise<Tokens> => {
  try {
    return readTokens((await contentOf(file)).toString('utf8'))
  } catch (error) {
    if (!(error instanceof WrongTokens)) throw error
    return fail(`${file}: ${error.message}`)
  }
}

/** Without TLS anybody on the network can read along, and clients send no token. */
const readOptions = async ({ host, port, cert, key, tokenFile, insecure }: ServeOptions) => {
  const address = await addressOf(host)
  const tokens = tokenFile === undefined ? undefined : await tokensIn(tokenFile)
  if (insecure) {
    if (cert !== undefined || key !== undefined) fail('give --insecure, or --cert and --key')
    if (!isLoopback(address))
      fail(`--insecure is for 127.0.0.1 alone: on ${host} give --cert and --key`)
    return { host: address, port, tokens }
  }
  if (cert === undefined || key === undefined)
    return fail('give --cert and --key, or --insecure for clients on this machine')
  return { host: address, port, tokens: tokens ?? new Map(), tls: await pairIn(cert, key) }
}

const listeningProblem = (error: unknown, { host, port }: ServeOptions): never => {
  const { code, syscall } = error as NodeJS.ErrnoException
  if (syscall !== 'listen') throw error
  if (code === 'EADDRINUSE') return fail(`--port ${port}: already in use by another process`)
  if (code === 'EADDRNOTAVAIL') return fail(`--host ${host}: this machine has no such address`)
  return fail(`--port ${port}: ${reasonOf(error) ?? code}`)
}

const stopRequested = (): Promise<unknown> =>
  Promise.race(['SIGINT', 'SIGTERM'].map((signal) => once(process, signal)))

const serve = async (settings: Settings, chosen: ServeOptions): Promise<void> => {
  if (settings.EVENT_STORE !== 'sqlite')
    fail('this log is in EventStoreDB: connect to it, as a user that may read $all')
  const { tokens, ...place } = await readOptions(chosen)
  // Loaded on demand: it takes a tenth of a second.
  const { serveLog } = await import('../audit/eventstoredb-server/serve-log.ts')
  await withStore(settings, async (store) => {
    const { log } = store
    if (!log) return fail('there is no file of a log')
    const securityLog = openSecurityLogIn(settings, makePlainLog())
    const { record } = securityLog
    const holderOf = tokens && holdersIn(tokens, store)
    try {
      const server = await serveLog({ ...place, log, record, holderOf }).catch((error: unknown) =>
        listeningProblem(error, chosen),
      )
      const host = place.host.includes(':') ? `[${place.host}]` : place.host
      const how = 'tls' in place ? '' : '?tls=false'
      process.stdout.write(`listening on esdb://${host}:${server.port}${how}, read-only\n`)
      await stopRequested()
      server.stop()
    } finally {
      securityLog.close()
    }
  })
}

export const serveLogCommand = command({
  name: 'serve',
  about: 'offer the embedded log, read-only, to clients of EventStoreDB',
  options,
  run: ({ settings }, chosen) => serve(settings, chosen),
})
