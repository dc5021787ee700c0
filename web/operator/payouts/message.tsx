import { Card, Crumbs, Link, MoreLink, Table, type Row, Title } from '../../ui/components.tsx'
import { z } from 'zod'
import { refuse } from '../../../domain/refusal.ts'
import type { PayoutOrderRow } from '../../../projections/payout-orders.ts'
import type { Queries } from '../../../projections/read-models.ts'
import { searchOf, type Call } from '../../../http/call.ts'
import { anyText } from '../../ui/fields.tsx'
import { utcTime } from '../../ui/money.tsx'
import { pageHeaders } from '../../ui/page.tsx'
import { filled } from '../../ui/words.tsx'
import type { RawReply } from '../../../http/route.ts'
import { dayText, sumText } from '../../portal/money-parts.tsx'
import { statusHtml } from '../../portal/payout-standing.tsx'
import { operatorPath } from '../areas.ts'
import type { OperatorPage, OperatorVisitor } from '../pages.tsx'
import { payoutIn, settlementLink, sumsHtml } from './list.tsx'
import { textsIn } from '../../../texts/catalogue.ts'

export type PayoutMessageNeeds = Pick<Queries['accounting'], 'payoutOrders' | 'settlements'> & {
  readonly isSecure: boolean
  readonly shopName: (merchant: string) => string
  /** Its file; undefined where no setting says from which account it pays. */
  readonly paymentFile: (messageId: string) => Promise<string | undefined>
}

export const messageParams = z.object({ message: z.string().regex(/^[\w-]{1,35}$/) })

export const messageQuery = z.object({ behind: anyText('Behind this place of the list.') })

const onPage = 50

const rowsHtml = (
  { settlements, shopName }: PayoutMessageNeeds,
  visitor: OperatorVisitor,
  { merchant, serial, day }: PayoutOrderRow,
  messageId: string,
): readonly Row[] => {
  const row = settlements.find(merchant, serial)
  const own = (row?.payouts ?? []).filter(({ orders }) =>
    orders.some((order) => order.messageId === messageId),
  )
  return own.map(({ currency, amount, orders }) => {
    const state = row && payoutIn(row, currency)
    const order = orders.find((one) => one.messageId === messageId)
    const isCurrent = order === orders.at(-1)
    return [
      {
        head: [shopName(merchant), <span class="value">{merchant}</span>],
      },
      row ? settlementLink(row) : '',
      { number: <b>{sumText(amount, currency, visitor)}</b> },
      dayText(day, visitor),
      isCurrent && state ? statusHtml(state.status, visitor) : statusHtml('returned', visitor),
      <code>{order?.endToEndId ?? ''}</code>,
    ]
  })
}

/** What one payment message orders. @throws Refusal resource_is_unknown */
export const payoutMessagePage = (
  needs: PayoutMessageNeeds,
  visitor: OperatorVisitor,
  call: Call,
  messageId: string,
): OperatorPage => {
  const texts = textsIn[visitor.language].payouts
  const orderedAt = needs.payoutOrders.orderedAt(messageId) ?? refuse('resource_is_unknown')
  const behind = searchOf(call).get('behind') ?? ''
  const found = needs.payoutOrders.list(messageId, behind, onPage + 1)
  const listed = found.slice(0, onPage)
  const path = operatorPath(`payouts/messages/${encodeURIComponent(messageId)}`)
  const next = new URLSearchParams({ behind: listed.at(-1)?.key ?? '' })
  const { merchant, settlement, bankDay, state, endToEnd } = texts
  const heads = [merchant, settlement, { number: texts.amount }, bankDay, state, endToEnd]
  const rows = listed.flatMap((row) => rowsHtml(needs, visitor, row, messageId))
  return {
    title: messageId,
    body: [
      <Crumbs links={[[operatorPath('payouts'), texts.payouts]]} />,
      <Title text={[texts.message, ' ', <code>{messageId}</code>]} />,
      <section class="card">
        <p>{filled(texts.orderedAt, { time: utcTime(orderedAt, visitor.locale) })}</p>
        {sumsHtml(needs.payoutOrders.sums(messageId), visitor)}
        <p class="buttons">
          <Link class="button" href={`${path}/pain001.xml`} download text={texts.download} />
        </p>
        <p class="quiet small">{texts.downloadWhat}</p>
      </section>,
      <Card title={texts.payouts}>
        <Table label={texts.payouts} kind="grid lines" heads={heads} rows={rows} />
        {found.length > onPage && <MoreLink href={`${path}?${next}`} text={texts.older} />}
      </Card>,
    ],
  }
}

/** The file of a message, as the command writes it again. @throws Refusal resource_is_unknown */
export const payoutMessageFile = async (
  { payoutOrders, paymentFile, isSecure }: PayoutMessageNeeds,
  messageId: string,
): Promise<RawReply> => {
  if (payoutOrders.orderedAt(messageId) === undefined) return refuse('resource_is_unknown')
  const body = (await paymentFile(messageId)) ?? refuse('resource_is_unknown')
  return {
    type: 'application/xml',
    body,
    headers: {
      ...pageHeaders(isSecure),
      'Content-Disposition': `attachment; filename="${messageId}.xml"`,
    },
  }
}
