import type { Html } from '../../ui/components.tsx'
import type { PaymentRecord } from '../../../application/payment-history.ts'
import { isRelease, type PaymentDetails } from '../../../domain/payment/payment-events.ts'
import type { Pots } from '../../../domain/money/money.ts'
import { minorText, shopTime, type TimeReader } from '../../ui/money.tsx'
import { filled } from '../../ui/words.tsx'
import type { Catalogue } from '../../../texts/generated/texts.ts'
import type { PlainKey } from '../../../texts/message.ts'

export type TimelineView = TimeReader & {
  readonly texts: Catalogue['payments']
  readonly currency: string
  /** Names of the staff by member. */
  readonly names: ReadonlyMap<string, string>
  /** What each point of sale is called. */
  readonly posNames: ReadonlyMap<string, string>
}

/** `100.00`, or `100.00 + 10.00` with what was added on top. */
const potsText = (
  { amount, additionalAmount }: Pots,
  { currency, locale }: TimelineView,
): string => {
  const sum = (minor: number) => minorText(minor, currency, locale)
  return additionalAmount === 0 ? sum(amount) : `${sum(amount)} + ${sum(additionalAmount)}`
}

const actors: Readonly<Record<string, PlainKey<Catalogue['payments']>>> = {
  daybook: 'who_service',
  operator: 'who_operator',
  sandbox: 'who_sandbox',
  attachment_uri: 'who_attachment',
}

/** Who caused an event. Of the payer nothing is told but that it was them. */
export const whoHtml = ({ texts, names }: TimelineView, actor: string): Html => {
  const [kind = '', ...rest] = actor.split(':')
  const id = rest.join(':')
  if (kind === 'payer') return texts.who_payer
  if (kind === 'staff') {
    const name = names.get(id)
    return name === undefined ? texts.who_staffGone : filled(texts.who_staff, { name })
  }
  if (kind === 'user') return filled(texts.who_user, { id })
  if (kind === 'integrator') return filled(texts.who_integrator, { id })
  const text = actors[kind]
  return text === undefined ? actor : texts[text]
}

/** Ids that the portal has made tell nobody anything. */
const partOf = (id: string | null): Html =>
  id === null || id.startsWith('portal-') ? null : [' ', <code class="part">{id}</code>]

const amendedNames = (changed: object): readonly (keyof PaymentDetails)[] =>
  Object.keys(changed) as (keyof PaymentDetails)[]

/** Long because it has a case for each event of a payment. */
const saysHtml = (view: TimelineView, event: PaymentRecord): Html => {
  const { texts, locale } = view
  if (isRelease(event))
    return filled(texts[`event_${event.type}`], { amount: potsText(event.data, view) })
  switch (event.type) {
    case 'PaymentRequested': {
      const { request } = event.data
      const pos = view.posNames.get(request.posId) ?? request.posId
      return filled(texts.event_PaymentRequested, {
        amount: potsText(request, view),
        order: request.posTid,
        pos,
      })
    }
    case 'PaymentAmended':
      return filled(texts.event_PaymentAmended, {
        changes: amendedNames(event.data)
          .map((name) => texts[`amended_${name}`])
          .join(', '),
      })
    case 'PaymentAuthorized': {
      const { additionalAmount, credit, expiresAt } = event.data
      const tip = minorText(additionalAmount, view.currency, locale)
      return filled(texts.event_PaymentAuthorized, {
        tip: additionalAmount === 0 ? 'none' : tip,
        credit: credit ? 'yes' : 'no',
        time: shopTime(expiresAt, view),
      })
    }
    case 'PaymentFailed':
      return filled(texts.event_PaymentFailed, {
        reason: texts[`failure_${event.data.statusCode}`],
      })
    case 'PaymentCaptured': {
      const amount = potsText(event.data, view)
      const part = partOf(event.data.captureId)
      return [filled(texts.event_PaymentCaptured, { amount }), part]
    }
    case 'PaymentRefunded': {
      const { text, refundId } = event.data
      const reason = text === null ? null : [' ', <q>{text}</q>]
      const amount = potsText(event.data, view)
      return [filled(texts.event_PaymentRefunded, { amount }), reason, partOf(refundId)]
    }
    case 'PaymentDisputed': {
      const { reason, due } = event.data
      const said = { amount: potsText(event.data, view), time: shopTime(due, view) }
      return [filled(texts.event_PaymentDisputed, said), ' ', <q>{reason}</q>]
    }
    case 'PaymentDisputeWon':
      return filled(texts.event_PaymentDisputeWon, { amount: potsText(event.data, view) })
    case 'PaymentRenewed':
      return filled(texts.event_PaymentRenewed, { time: shopTime(event.data.expiresAt, view) })
    case 'PaymentEvidenceSent':
    case 'PaymentDisputeLost':
    case 'PaymentPickedUp':
    case 'PaymentDeclined':
    case 'PaymentAborted':
    case 'PaymentExpired':
      return texts[`event_${event.type}`]
  }
}

const tones: Readonly<Partial<Record<PaymentRecord['type'], string>>> = {
  PaymentCaptured: 'good',
  PaymentAuthorized: 'warn',
  PaymentRenewed: 'warn',
  PaymentRefunded: 'returned',
  PaymentDisputed: 'bad',
  PaymentEvidenceSent: 'warn',
  PaymentDisputeWon: 'good',
  PaymentDisputeLost: 'bad',
  PaymentDeclined: 'bad',
  PaymentFailed: 'bad',
  PaymentExpired: 'bad',
  PaymentAborted: 'bad',
  PaymentAuthorizationExpired: 'bad',
}

/** What has happened, newest first. */
export const timelineHtml = (view: TimelineView, events: readonly PaymentRecord[]): Html => (
  <ol class="timeline">
    {events.map((event) => (
      <li class={tones[event.type] ?? ''}>
        <p>{saysHtml(view, event)}</p>
        <p class="quiet small">
          {shopTime(event.metadata.at, view)} ·{' '}
          {filled(view.texts.by, { who: whoHtml(view, event.metadata.actor) })}
        </p>
      </li>
    ))}
  </ol>
)
