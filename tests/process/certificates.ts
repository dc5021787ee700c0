// A test certificate authority, a server certificate signed by it, and a self-signed one.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes']
const server = ['-subj', '/CN=receiver', '-addext', 'subjectAltName=IP:127.0.0.1']

/**
 * Creates them in a folder; returns the authority's file, to be trusted, and both pairs of key and
 * certificate.
 */
export const makeCertificates = (folder: string) => {
  const make = (name: string, days: number, ...options: string[]) => {
    const keyFile = join(folder, `${name}.key`)
    const certificate = join(folder, `${name}.pem`)
    const files = ['-keyout', keyFile, '-out', certificate]
    execFileSync('openssl', ['req', '-x509', ...key, '-days', String(days), ...files, ...options], {
      stdio: 'pipe',
    })
    return { key: readFileSync(keyFile), cert: readFileSync(certificate) }
  }
  make('authority', 90, '-subj', '/CN=authority')
  const authority = join(folder, 'authority.pem')
  const signed = ['-CA', authority, '-CAkey', join(folder, 'authority.key')]
  const valid = (days: number) =>
    make('trusted', days, ...server, ...signed, '-addext', 'basicConstraints=critical,CA:FALSE')
  /** Expired yesterday. */
  const expired = () => {
    const files = (end: string) => join(folder, `expired.${end}`)
    const asked = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes']
    const request = ['-keyout', files('key'), '-out', files('csr')]
    execFileSync('openssl', ['req', '-new', ...asked, ...server, ...request], { stdio: 'pipe' })
    const certificate = ['-in', files('csr'), '-out', files('pem'), '-days', '-1']
    const copied = ['-copy_extensions', 'copy']
    const words = ['x509', '-req', ...certificate, ...copied, ...signed]
    execFileSync('openssl', words, { stdio: 'pipe' })
    return { key: readFileSync(files('key')), cert: readFileSync(files('pem')) }
  }
  return {
    authority,
    expired,
    valid,
    trusted: valid(2),
    selfSigned: make('self-signed', 2, ...server),
  }
}
