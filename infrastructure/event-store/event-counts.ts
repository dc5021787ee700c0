import type { EventStore } from '../../application/event-store.ts'
import type { PaymentEvent } from '../../domain/payment/payment-events.ts'

/** The counter for each event of a payment; null if it is not counted. */
const counters = {
  PaymentRequested: 'daybook_payment_requests_total',
  PaymentAuthorized: 'daybook_payments_total{outcome="authorized"}',
  PaymentDeclined: 'daybook_payments_total{outcome="declined"}',
  PaymentFailed: 'daybook_payments_total{outcome="failed"}',
  PaymentAborted: 'daybook_payments_total{outcome="aborted"}',
  PaymentExpired: 'daybook_payments_total{outcome="expired"}',
  PaymentAuthorizationExpired: 'daybook_payments_total{outcome="authorization_expired"}',
  PaymentCaptured: 'daybook_captures_total',
  PaymentReleased: 'daybook_releases_total',
  PaymentRefunded: 'daybook_refunds_total',
  PaymentPickedUp: null,
  PaymentAmended: null,
  PaymentRenewed: null,
} as const satisfies Readonly<Record<PaymentEvent['type'], string | null>>

type Series = NonNullable<(typeof counters)[PaymentEvent['type']]>
type NameOf<Text extends string> = Text extends `${infer Name}{${string}` ? Name : Text

const counted: ReadonlyMap<string, string> = new Map(
  Object.entries(counters).flatMap(([type, series]) => (series === null ? [] : [[type, series]])),
)

const helps: Readonly<Record<NameOf<Series>, string>> = {
  daybook_payment_requests_total: 'Payment requests made.',
  daybook_payments_total: 'Payments by what came of their request.',
  daybook_captures_total: 'Captures.',
  daybook_releases_total: 'Releases.',
  daybook_refunds_total: 'Refunds.',
}

/** Counts appended events for Prometheus. A library's counter would cost more than a decision. */
export const countEvents = () => {
  const counts = new Map([...counted.keys()].map((type) => [type, 0]))

  const count = (events: readonly { readonly type: string }[]): void => {
    for (const { type } of events) {
      const before = counts.get(type)
      if (before !== undefined) counts.set(type, before + 1)
    }
  }

  return {
    countingOf: <Store extends EventStore>(store: Store): Store => ({
      ...store,
      append: async (...what) => {
        const appended = await store.append(...what)
        count(what[1])
        return appended
      },
    }),
    text: (): string =>
      Object.entries(helps)
        .flatMap(([name, help]) => [
          `# HELP ${name} ${help}`,
          `# TYPE ${name} counter`,
          ...[...counts].flatMap(([type, total]) => {
            const series = counted.get(type) ?? ''
            return series.split('{')[0] === name ? `${series} ${total}` : []
          }),
          '',
        ])
        .join('\n'),
  }
}
