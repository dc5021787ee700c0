import { html } from 'hono/html'
import type { Sum } from '../../domain/money/money.ts'
import type { Instant } from '../../domain/time.ts'
import { shownTime } from '../ui/money.ts'
import type { Html } from '../ui/page.ts'
import { filled } from '../ui/words.ts'
import { sumText } from './money-parts.ts'
import type { LobbyVisitor } from '../staff/frame.ts'
import { textsIn } from '../../texts/catalogue.ts'

export type NextPayoutNeeds = {
  /** What is owed to the merchant and not settled, when it will be, and whether to an account. */
  readonly nextPayout: (merchant: string) => {
    readonly dueAt: Instant | null
    readonly sums: readonly { readonly currency: string; readonly sum: Sum }[]
    readonly hasAccount: boolean
  }
}

/** What is owed to the merchant so far, when it is settled, and what keeps it from being paid. */
export const nextPayoutHtml = (
  { nextPayout }: NextPayoutNeeds,
  merchant: string,
  reader: Pick<LobbyVisitor, 'language' | 'locale'>,
): Html => {
  const texts = textsIn[reader.language].money
  const { dueAt, sums, hasAccount } = nextPayout(merchant)
  const time = dueAt === null ? undefined : shownTime(dueAt, reader.locale)
  const isDebt = sums.some(({ sum }) => sum.startsWith('-'))
  return html`${sums.map(
      ({ currency, sum }) => html`<p class="figure">${sumText(sum, currency, reader)}</p>`,
    )}
    <p class="quiet">${time === undefined ? texts.nextNone : filled(texts.nextOn, { time })}</p>
    ${isDebt ? html`<p class="small">${texts.owed}</p>` : ''}
    ${hasAccount ? '' : html`<p><span class="badge warn">${texts.noPayoutAccount}</span></p>`}`
}
