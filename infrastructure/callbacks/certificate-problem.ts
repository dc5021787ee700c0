import { isIP, type LookupFunction } from 'node:net'
import {
  connect,
  type PeerCertificate,
  createSecureContext,
  rootCertificates,
  type SecureContext,
} from 'node:tls'
import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { clearTimeout, setTimeout } from '../../application/machine.ts'

export const certificate = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g

/** @throws Error if the file contains no certificate, or an unreadable one */
export const readCertificates = (file: string): string => {
  const found = readFileSync(file, 'utf8').match(certificate) ?? []
  if (found.length === 0) throw new Error('there is no certificate in it')
  return found.map((pem) => new X509Certificate(pem).toString()).join('\n')
}

// Each takes some 100 ms, since OpenSSL reads all roots again; settings name one or two.
const contexts = new Map<string, SecureContext>()

/** Trusts these certificates in addition to Node's; undefined for Node's alone. */
export const trustingAlso = (
  certificates: string | undefined,
  others = '',
): SecureContext | undefined => {
  if (certificates === undefined) return undefined
  const ca = `${others}\n${certificates}`
  const made =
    contexts.get(ca) ?? createSecureContext({ ca: [...rootCertificates, others, certificates] })
  contexts.set(ca, made)
  return made
}

const probeTimeoutMs = 2000

/** Reads the certificate of an untrusted server, without sending anything. */
export const certificateAt = (
  url: URL,
  lookup: LookupFunction,
): Promise<PeerCertificate | undefined> =>
  new Promise((resolve) => {
    const host = url.hostname.replace(/^\[|\]$/g, '')
    const port = Number(url.port || 443)
    const servername = isIP(host) ? '' : host
    const socket = connect({ host, port, lookup, servername, rejectUnauthorized: false })
    const end = (found?: PeerCertificate): void => {
      clearTimeout(timer)
      socket.destroy()
      resolve(found)
    }
    // An overall deadline, because a server may send single bytes forever.
    const timer = setTimeout(end, probeTimeoutMs)
    socket.once('secureConnect', () => end(socket.getPeerCertificate()))
    socket.once('error', () => end())
  })

/** `3 Nov 2026` */
const dayOf = (text: string): string =>
  new Date(text).toLocaleDateString('en-GB', {
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    timeZone: 'UTC',
  })

type Failure = NodeJS.ErrnoException & { readonly cert?: PeerCertificate }

/** What is wrong with the receiver's certificate; undefined if unknown. */
export const certificateProblem = async (
  { code, cert }: Failure,
  url: URL,
  lookup: LookupFunction,
): Promise<string | undefined> => {
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') {
    const names = cert?.subjectaltname?.replaceAll(/(?:DNS|IP Address):/g, '') ?? 'no name'
    return `the certificate is for ${names.slice(0, 200)} and not for ${url.hostname}`
  }
  if (code !== 'CERT_HAS_EXPIRED' && code !== 'CERT_NOT_YET_VALID') return undefined
  const found = await certificateAt(url, lookup)
  if (!found?.valid_to) return undefined
  return code === 'CERT_HAS_EXPIRED'
    ? `the certificate has expired on ${dayOf(found.valid_to)}`
    : `the certificate is not valid before ${dayOf(found.valid_from)}`
}
