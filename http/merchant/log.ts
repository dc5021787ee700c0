import { z } from 'zod'
import { refuse } from '../../domain/refusal.ts'
import type { Instant } from '../../domain/time.ts'
import { merchantPrefix, type Signing } from '../addresses.ts'
import type { Names } from '../assets.ts'
import { preferred } from '../negotiation.ts'
import { type Route, routesOf } from '../route.ts'

/** 30 days (interface 8). */
const linkLifetimeMs = 2_592_000_000

const purpose = 'log'

const plainCsv = 'text/csv'

type LogNeeds = {
  readonly names: Names
  readonly isSigned: (signature: string, ...parts: readonly string[]) => boolean
  /** Undefined when there is no such file. */
  readonly readLog: (sha256: string) => Promise<ReadableStream | undefined>
}

const logPath = (sha256: string): string => `${merchantPrefix}/log/${sha256}/`

/** A signed link for a JSON body. */
export const logLink = ({ links, sign }: Signing, sha256: string, from: Instant): string => {
  const expires = Math.floor((from + linkLifetimeMs) / 1000)
  const query = `expires=${expires}&signature=${sign(purpose, sha256, String(expires))}`
  return links.inBody(`${logPath(sha256)}?${query}`)
}

const { get } = routesOf({ access: 'OPEN', group: 'Log' })

/** Downloads of transaction logs; the signed link is the only credential. */
export const logRoutes = (needs: LogNeeds): Route[] => [
  get(logPath(':sha256'), {
    summary: 'Download a log of a report or settlement',
    description:
      'CSV, named in `transaction_log_uris` or `scope_log_uris` by a link that is signed and can ' +
      'be followed for 30 days without further authentication. The bytes behind a link never ' +
      'change, but for a payer who is erased: their name is left out.',
    params: z.object({ sha256: z.string().regex(/^[0-9a-f]{64}$/) }),
    query: z.object({
      expires: z.string().regex(/^\d{1,12}$/),
      signature: z.string().max(128),
    }),
    success: 'raw',
    replyTypes: [needs.names.csv, plainCsv],
    handle: async ({ params, query, at, accept }) => {
      const { sha256 } = params
      const { signature, expires } = query
      const isSigned = needs.isSigned(signature, purpose, sha256, expires)
      if (!isSigned || at >= Number(expires) * 1000) return refuse('resource_is_unknown')
      const type = preferred(accept, [needs.names.csv, plainCsv])
      const body = (await needs.readLog(sha256)) ?? refuse('resource_is_unknown')
      return {
        type: type === plainCsv ? `${plainCsv}; charset=utf-8` : type,
        body,
        headers: {
          'Content-Disposition': `attachment; filename="${sha256.slice(0, 16)}.csv"`,
          'Cache-Control': 'private, no-cache',
        },
      }
    },
  }),
]
