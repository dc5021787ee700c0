import { lookup } from 'node:dns'
import { X509Certificate } from 'node:crypto'
import { isOneThread } from '../../application/machine.ts'
import { single, type Samples } from '../../application/measures.ts'
import { certificate, certificateAt } from '../../infrastructure/callbacks/certificate-problem.ts'
import type { Settings } from '../../infrastructure/settings.ts'

const hourMs = 3_600_000

type Place = Pick<Settings, 'PUBLIC_URL' | 'CALLBACK_CA_FILE'>

/**
 * When certificates end: that of PUBLIC_URL is asked for at most once an hour, and no scrape waits
 * for it.
 */
export const certificateEnds = (
  { PUBLIC_URL, CALLBACK_CA_FILE }: Place,
  machineNow: () => number,
) => {
  let askedAt = -Infinity
  let own: number | undefined
  const trusted = (CALLBACK_CA_FILE?.match(certificate) ?? []).map((pem) =>
    Date.parse(new X509Certificate(pem).validTo),
  )
  const first = trusted.length === 0 ? undefined : Math.min(...trusted)

  const ask = (url: string): void => {
    const now = machineNow()
    if (Math.abs(now - askedAt) < hourMs) return
    askedAt = now
    certificateAt(new URL(url), lookup)
      .then((found) => (own = found && Date.parse(found.valid_to)))
      .catch(() => (own = undefined))
  }

  return (): Samples => {
    if (PUBLIC_URL?.startsWith('https:') && !isOneThread()) ask(PUBLIC_URL)
    const ends = { PUBLIC_URL: own, CALLBACK_CA_FILE: first }
    return Object.entries(ends).flatMap(([name, end]) =>
      single(end === undefined ? undefined : end / 1_000, { certificate: name }),
    )
  }
}
