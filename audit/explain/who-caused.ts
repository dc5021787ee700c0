import type { Recorded } from '../../domain/events.ts'
import { formatDateTime } from '../../application/date-time.ts'
import type { Catalogue } from '../../texts/generated/texts.ts'
import { filledText } from '../../texts/message.ts'

/** Opens a sealed address; undefined without the vault. */
export type OpenAddress = (sealed: string) => string | undefined

/** How an actor is named that has no id, and by its kind one that has. */
const names = {
  daybook: 'who_daybook',
  operator: 'who_operator',
  sandbox: 'who_sandbox',
  payer: 'who_newPayer',
  attachment_uri: 'who_attachment_uri',
} as const

const kinds = {
  user: 'who_user',
  integrator: 'who_integrator',
  payer: 'who_payer',
  client: 'who_client',
  auditor: 'who_auditor',
  operator: 'who_operatorAs',
  staff: 'who_staff',
} as const

const nameOf = (actor: string, merchant: string | null, texts: Catalogue['story']): string => {
  const [kind = '', ...rest] = actor.split(':')
  const id = rest.join(':')
  if (rest.length === 0) return actor in names ? texts[names[actor as keyof typeof names]] : actor
  if (!(kind in kinds)) return actor
  if (kind === 'user' && merchant !== null) return texts.who_userOf({ id, merchant })
  return filledText(texts[kinds[kind as keyof typeof kinds]], { id })
}

/** Who caused an event, and how that is known. */
export const whoCaused = (
  { metadata }: Recorded,
  openAddress: OpenAddress,
  texts: Catalogue['story'],
): string => {
  const { actor, merchant, signed, from, operator } = metadata
  const who = nameOf(actor, merchant, texts)
  if (operator) return texts.whoOn({ who, account: operator.account, machine: operator.machine })
  if (signed) return texts.whoSigned({ who, key: signed.key })
  if (from === undefined) return who
  return texts.whoSecret({ who, address: openAddress(from) ?? texts.whoSealed })
}

/** What made it happen. */
export const whyCaused = (
  { type, data, metadata }: Recorded,
  texts: Catalogue['story'],
): string => {
  const { correlationId, causationId, actor } = metadata
  switch (type) {
    case 'PaymentExpired':
    case 'PaymentAuthorizationExpired':
    case 'PermissionExpired':
      return texts.whyOver({ time: formatDateTime(data.expiredAt) })
    case 'SettlementStarted':
      if (data.dueAt === null) return texts.byHand
      return texts.whyDue({ time: formatDateTime(data.dueAt) })
    case 'ReportClosed': {
      if (!data.due) break
      const { closes, at } = data.due
      return texts.whyLedger({ often: texts[`closes_${closes}`], time: formatDateTime(at) })
    }
    case 'SettlementMade':
    case 'ReportCompleted':
      return texts.whyReady
    case 'CallbackAttempted':
      return texts.callbackWhy({ event: data.event })
  }
  if (causationId !== null) return texts.whyEvent({ event: causationId })
  return actor === 'operator' ? texts.byCommand : texts.whyRequest({ id: correlationId })
}
