import type { Html } from '../ui/components.tsx'
import type { Sum } from '../../domain/money/money.ts'
import type { Instant } from '../../domain/time.ts'
import { shownTime } from '../ui/money.tsx'
import { filled } from '../ui/words.tsx'
import { sumText } from './money-parts.tsx'
import type { LobbyVisitor } from '../staff/frame.tsx'
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
  return [
    sums.map(({ currency, sum }) => <p class="figure">{sumText(sum, currency, reader)}</p>),
    <p class="quiet">{time === undefined ? texts.nextNone : filled(texts.nextOn, { time })}</p>,
    isDebt && <p class="small">{texts.owed}</p>,
    !hasAccount && (
      <p>
        <span class="badge warn">{texts.noPayoutAccount}</span>
      </p>
    ),
  ]
}
