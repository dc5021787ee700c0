import type { Links } from './addresses.ts'
import { RequestError } from './errors.ts'
import { type Route, routesOf } from './route.ts'

type SecurityTextNeeds = {
  readonly links: Links
  /** Where weaknesses are told, an address with its scheme; undefined when not set. */
  readonly securityContact: string | undefined
  readonly machineNow: () => number
}

const path = '/.well-known/security.txt'

/** RFC 9116, 2.5.5, recommends less than a year. */
const goodForMs = 180 * 86_400_000

const dayMs = 86_400_000

/** The same all day, so that caches and readers see no change. */
const endOfDayIn = (ms: number, now: number): string =>
  new Date(Math.floor((now + ms) / dayMs) * dayMs).toISOString().replace('.000Z', 'Z')

const { get } = routesOf({ access: 'OPEN', group: 'Service' })

/** Whom to tell of a weakness (RFC 9116). */
export const securityTextRoute = (needs: SecurityTextNeeds): Route =>
  get(path, {
    summary: 'Whom to tell of a weakness (RFC 9116)',
    success: 'raw',
    replyTypes: ['text/plain'],
    errors: { 404: 'The operator has not set `SECURITY_CONTACT`.' },
    handle: () => {
      const { securityContact, links, machineNow } = needs
      if (securityContact === undefined)
        throw new RequestError(404, 'The operator has named nobody for this: SECURITY_CONTACT.')
      const lines = [
        `Contact: ${securityContact}`,
        `Expires: ${endOfDayIn(goodForMs, machineNow())}`,
        'Preferred-Languages: en, no',
        `Canonical: ${links.full(path)}`,
      ]
      return { type: 'text/plain; charset=utf-8', body: `${lines.join('\n')}\n` }
    },
  })
