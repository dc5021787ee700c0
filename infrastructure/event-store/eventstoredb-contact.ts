import { readFileSync } from 'node:fs'
import { connect as connectTcp, isIP, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { partsOf } from './eventstoredb-connection.ts'

/** Timeout of one handshake, in ms. */
const handshakeMs = 1_000

/** Why a handshake failed; undefined if it succeeded. */
const failureOf = (
  socket: Socket,
  done: 'connect' | 'secureConnect',
): Promise<string | undefined> =>
  new Promise((resolve) => {
    const end = (failure?: string): void => {
      socket.destroy()
      resolve(failure)
    }
    socket.setTimeout(handshakeMs, () => end('ETIMEDOUT'))
    socket.once(done, () => end())
    socket.on('error', (error: NodeJS.ErrnoException) => end(error.code ?? error.message))
  })

const ofCertificate = (code: string): string | undefined => {
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return 'its certificate is for other names: connect to one of them'
  if (code === 'CERT_HAS_EXPIRED') return 'its certificate has expired: renew it'
  if (!/CERT|SIGNATURE|ISSUER/.test(code)) return
  return `no authority that is trusted here signed its certificate (${code}): name it in tlsCAFile`
}

type Wanted = { readonly isSecure: boolean; readonly ca: Buffer | undefined }
type Host = { readonly address: string; readonly port: number }

/** What is wrong with a host, and what to change; undefined if it can be connected to. */
const problemOf = async (
  { address, port }: Host,
  { isSecure, ca }: Wanted,
): Promise<string | undefined> => {
  const refused = await failureOf(connectTcp(port, address), 'connect')
  if (refused === 'ENOTFOUND') return 'there is no such host (ENOTFOUND): correct its name'
  if (refused)
    return `nothing answers there (${refused}): start EventStoreDB, or correct host and port`
  const options = {
    ...{ host: address, port, rejectUnauthorized: isSecure, ALPNProtocols: ['h2'] },
    ...(ca && { ca }),
    ...(isIP(address) === 0 && { servername: address }),
  }
  const failure = await failureOf(connectTls(options), 'secureConnect')
  if (!isSecure) return failure ? undefined : 'it wants TLS: remove tls=false'
  if (!failure) return
  return (
    ofCertificate(failure) ??
    `it does not speak TLS (${failure}): add tls=false, or give it a certificate`
  )
}

/** Why no host of a connection string can be connected to, in one line; undefined if one can. */
export const problemOfContact = async (connectionString: string): Promise<string | undefined> => {
  const { hosts, tls, tlsCAFile } = partsOf(connectionString)
  const ca = tlsCAFile === undefined ? undefined : readFileSync(tlsCAFile)
  const wanted = { isSecure: tls !== false, ca }
  const problems = new Map<string, string[]>()
  const found = await Promise.all(hosts.map((host) => problemOf(host, wanted)))
  for (const [index, { address, port }] of hosts.entries()) {
    const problem = found[index]
    if (problem === undefined) return undefined
    problems.set(problem, [...(problems.get(problem) ?? []), `${address}:${port}`])
  }
  return [...problems].map(([problem, at]) => `${at.join(', ')}: ${problem}`).join('; ')
}
