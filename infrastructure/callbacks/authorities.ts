import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createSecureContext, rootCertificates, type SecureContext } from 'node:tls'

const certificate = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g

/** @throws Error if the file contains no certificate, or an unreadable one */
export const readCertificates = (file: string): string => {
  const found = readFileSync(file, 'utf8').match(certificate) ?? []
  if (found.length === 0) throw new Error('there is no certificate in it')
  return found.map((pem) => new X509Certificate(pem).toString()).join('\n')
}

/** Trusts these certificates in addition to Node's; undefined for Node's alone. */
export const trustingAlso = (
  certificates: string | undefined,
  others = '',
): SecureContext | undefined =>
  certificates === undefined
    ? undefined
    : createSecureContext({ ca: [...rootCertificates, others, certificates] })
