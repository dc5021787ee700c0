import type { Recorded } from '../../domain/events.ts'
import { formatDateTime } from '../date-time.ts'

/** Opens a sealed address; undefined where the vault is not at hand. */
export type OpenAddress = (sealed: string) => string | undefined

const names: Readonly<Record<string, string>> = {
  daybook: 'the service itself',
  operator: 'the operator',
  sandbox: 'a call of the sandbox',
  payer: 'somebody who signs up',
  attachment_uri: 'whoever had the link for attachments',
}

const kinds: Readonly<Record<string, string>> = {
  user: 'user',
  integrator: 'integrator',
  payer: 'payer',
  client: 'application',
  auditor: 'auditor',
  operator: 'operator',
}

const nameOf = (actor: string, merchant: string | null): string => {
  const [kind = '', ...rest] = actor.split(':')
  const name = kinds[kind]
  if (rest.length === 0 || name === undefined) return names[actor] ?? actor
  const of = kind === 'user' && merchant !== null ? ` of ${merchant}` : ''
  return `${name} ${rest.join(':')}${of}`
}

/** Who caused an event, and how that is known. */
export const whoCaused = ({ metadata }: Recorded, openAddress: OpenAddress): string => {
  const { actor, merchant, signed, from, operator } = metadata
  const who = nameOf(actor, merchant)
  if (operator) return `${who}, ${operator.account} on ${operator.machine}`
  if (signed) return `${who}, signed with ${signed.key}`
  if (from === undefined) return who
  return `${who}, with a secret, from ${openAddress(from) ?? 'an address that is sealed'}`
}

/** What made it happen. */
export const whyCaused = ({ type, data, metadata }: Recorded): string => {
  const { correlationId, causationId, actor } = metadata
  switch (type) {
    case 'PaymentExpired':
    case 'PaymentAuthorizationExpired':
    case 'PermissionExpired':
      return `its time was over at ${formatDateTime(data.expiredAt)}`
    case 'SettlementStarted':
      return data.dueAt === null ? 'by hand' : `it was due at ${formatDateTime(data.dueAt)}`
    case 'ReportClosed':
      if (!data.due) break
      return `the ledger closes ${data.due.closes}; it was due at ${formatDateTime(data.due.at)}`
    case 'SettlementMade':
    case 'ReportCompleted':
      return 'its logs and sums were ready'
    case 'CallbackAttempted':
      return `to tell of ${data.event}`
  }
  if (causationId !== null) return `because of event ${causationId}`
  return actor === 'operator' ? 'by a command' : `request ${correlationId}`
}
