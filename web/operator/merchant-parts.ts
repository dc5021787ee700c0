import { html } from 'hono/html'
import type { StaffWork } from '../../application/staff.ts'
import type { AskedChange } from '../../domain/accounting/account-change.ts'
import type { MerchantData } from '../../domain/merchant/merchant.ts'
import type { Instant } from '../../domain/time.ts'
import { allPointsOfSale } from '../../projections/turnover.ts'
import type { Queries } from '../../projections/read-models.ts'
import { shownAmount, shownTime } from '../ui/money.ts'
import type { Html } from '../ui/page.ts'
import { filled } from '../ui/words.ts'
import { failingAddresses } from '../portal/failing-addresses.ts'
import type { TurnoverNeeds } from '../portal/overview-numbers.ts'
import { nextPayoutHtml } from '../portal/next-payout.ts'
import type { PanelNeeds } from '../portal/overview-panels.ts'
import { card, factList, quiet, type Fact } from '../portal/parts.ts'
import type { ScanNeeds } from '../portal/points/scans.ts'
import type { OperatorVisitor } from './pages.ts'
import { textsIn } from '../../texts/catalogue.ts'

export type MerchantPartNeeds = Pick<StaffWork, 'findStaff' | 'nameOf'> &
  Pick<TurnoverNeeds, 'turnoverBetween'> &
  Pick<ScanNeeds, 'dayStarts'> &
  Pick<PanelNeeds, 'nextPayout' | 'failingCallbacks'> &
  Pick<Queries['accounting'], 'settlementAccounts' | 'accountChanges'>

const days = 30
const addressesShown = 20

/** A part of the page of one merchant. */
type PartOf<Shown> = (needs: MerchantPartNeeds, visitor: OperatorVisitor, of: MerchantData) => Shown

const ownersHtml: PartOf<Promise<Html | string>> = async (needs, { language }, { id }) => {
  const { findStaff, nameOf } = needs
  const { members } = await findStaff(id)
  const owners = members.filter(
    ({ status, terms }) => status === 'joined' && terms.role === 'owner',
  )
  const names = await Promise.all(owners.map(({ person }) => nameOf(person)))
  const known = names.filter((name) => name !== undefined)
  return known.length > 0
    ? known.join(', ')
    : filled(textsIn[language].merchants.noOwner, { merchant: id })
}

const askedHtml = (
  { payoutAccount, takesEffectAt }: AskedChange,
  { language, locale }: OperatorVisitor,
): Html => {
  const from = shownTime(takesEffectAt, locale)
  return filled(textsIn[language].merchants.accountFrom, {
    account: html`<b>${payoutAccount}</b>`,
    time: from,
  })
}

/** What is known of a merchant; fields that are empty are left out. */
export const factsHtml: PartOf<Promise<Html>> = async (needs, visitor, data) => {
  const texts = textsIn[visitor.language].merchants
  const { profile, organizationId, lookupIds } = data
  const account = needs.settlementAccounts.find(data.id)?.payoutAccount
  const asked = needs.accountChanges.find(data.id)?.asked
  const place = [...profile.addressLines, profile.postalCode, profile.country].filter(Boolean)
  const contact = [profile.phoneNumber, profile.email, profile.url].filter(Boolean)
  const optional = (name: string, value: string): readonly Fact[] =>
    value === '' ? [] : [[name, value]]
  return html`<section class="card">
    ${factList('money-facts', [
      [texts.id, html`<code>${data.id}</code>`],
      ...optional(texts.organization, organizationId ?? ''),
      ...optional(texts.lookupIds, lookupIds.join(', ')),
      [texts.owners, await ownersHtml(needs, visitor, data)],
      [texts.account, account ?? html`<span class="badge warn">${texts.noAccount}</span>`],
      ...(asked ? [[texts.accountAsked, askedHtml(asked, visitor)] as const] : []),
      [texts.currency, data.currency],
      [texts.timeZone, data.timeZone],
      ...optional(texts.address, place.join(', ')),
      ...optional(texts.contact, contact.join(', ')),
    ])}
  </section>`
}

const turnoverHtml = (
  { turnoverBetween, dayStarts }: MerchantPartNeeds,
  { language, locale }: OperatorVisitor,
  { id, timeZone }: MerchantData,
  at: Instant,
): Html => {
  const texts = textsIn[language].merchants
  const starts = dayStarts(timeZone, at, days)
  const of = { merchant: id, posIds: [allPointsOfSale] }
  const rows = turnoverBetween(of, starts[0] ?? 0, starts.at(-1) ?? at)
  if (rows.length === 0) return quiet(texts.noTurnover)
  return html`${rows.map(({ currency, captured, payments, refunded, fees }) => {
    const amount = (minor: number) => shownAmount(minor, currency, locale)
    const line = { count: payments, refunded: amount(refunded), fees: amount(fees) }
    return html`<p class="figure">${amount(captured)}</p>
      <p class="quiet small">${texts.turnoverLine(line)}</p>`
  })}`
}

const callbacksHtml: PartOf<Html> = ({ failingCallbacks }, visitor, { id }) => {
  const texts = textsIn[visitor.language].merchants
  const found = failingCallbacks(id, addressesShown)
  if (found.length === 0) return quiet(texts.callbacksNone)
  return failingAddresses(found, { since: texts.failingSince, rests: texts.rests }, visitor)
}

/** What it turns over, what it is owed, and which of its addresses fail. */
export const panelsHtml = (
  needs: MerchantPartNeeds,
  visitor: OperatorVisitor,
  data: MerchantData,
  at: Instant,
): Html => {
  const texts = textsIn[visitor.language].merchants
  return html`${card(texts.turnoverLast30, turnoverHtml(needs, visitor, data, at))}
  ${card(texts.payout, nextPayoutHtml(needs, data.id, visitor))}
  ${card(texts.callbacks, callbacksHtml(needs, visitor, data))}`
}
