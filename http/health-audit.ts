import { z } from 'zod'
import { formatDateTime } from '../application/date-time.ts'
import type { Instant } from '../domain/time.ts'
import { RequestError } from './errors.ts'
import { type Route, routesOf } from './route.ts'
import { dateTime } from './wire.ts'

type Checked = { readonly at: Instant; readonly position: number }

/** What an audit of the log has found, by the clock of the machine. */
type LastAudit = Checked & {
  readonly holds: boolean
  readonly problem: { readonly position: number | null } | null
  /** The last one in which nothing was wrong. */
  readonly held: Checked | null
}

export type AuditNeeds = {
  /** Undefined before the first audit. */
  readonly lastAudit: () => LastAudit | undefined
}

const auditReply = z
  .object({
    status: z.enum(['holds', 'never audited']),
    held_at: dateTime.nullable().meta({ description: 'When nothing was wrong last.' }),
    held_position: z.int().nullable().meta({ description: 'Where the log ended then.' }),
  })
  .meta({ id: 'Audit' })

/** Everybody may ask, so only the operator learns what is wrong. */
const doesNotHold = ({ problem, held }: LastAudit): RequestError => {
  const position = problem?.position ?? null
  const wrong = position === null ? 'Something is wrong with the log' : `Event ${position} is wrong`
  const description = `${wrong}: \`daybook audit verify\` and the service's own log say what it is.`
  const details = {
    ...(position !== null && { position: [String(position)] }),
    ...(held && { held_at: [formatDateTime(held.at)], held_position: [String(held.position)] }),
  }
  return new RequestError(503, description, details)
}

const { get } = routesOf({ access: 'OPEN', group: 'Service' })

export const auditRoute = ({ lastAudit }: AuditNeeds): Route =>
  get('/health/audit', {
    summary: 'When nothing was wrong in an audit of the log last; 503 if something was since',
    reply: auditReply,
    handle: () => {
      const last = lastAudit()
      if (last && !last.holds) throw doesNotHold(last)
      const held = last?.held ?? null
      return {
        status: last ? ('holds' as const) : ('never audited' as const),
        held_at: held && held.at,
        held_position: held && held.position,
      }
    },
  })
