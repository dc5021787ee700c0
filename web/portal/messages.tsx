import { Done, Form, Link, type Html, Title } from '../ui/components.tsx'
import type { Handle } from '../../application/handle.ts'
import { noticesOfMerchants } from '../../domain/aggregates.ts'
import type { NoticeKind, Notices, OpenNotice } from '../../domain/merchant/notice.ts'
import { mayDo, type StaffAction } from '../../domain/merchant/staff-roles.ts'
import type { Instant } from '../../domain/time.ts'
import { searchOf } from '../../http/call.ts'
import { fieldOf } from '../../http/forms.ts'
import { hidden, plainForm } from '../ui/fields.tsx'
import { minorText, shopTime } from '../ui/money.tsx'
import { type Visits } from '../payer/session.tsx'
import { filled } from '../ui/words.tsx'
import type { Route } from '../../http/route.ts'
import { actorNames, type ActorNeeds } from './actors.ts'
import { ownSettingsPath, portalPath } from './areas.ts'
import { contextOfStaff, type PortalNeeds } from './guard.ts'
import type { PortalVisitor } from './page.tsx'
import { portalPages } from './pages.ts'
import { textsIn } from '../../texts/catalogue.ts'
import { moneyPath, settlementHref } from './money-parts.tsx'
import { returnText } from './payout-standing.tsx'
import type { SettlementRow } from '../../projections/settlements.ts'
import { filledText } from '../../texts/message.ts'

export type NoticeNeeds = ActorNeeds & {
  readonly findNotices: (merchant: string) => Promise<Notices>
  readonly settlements: {
    findById(settlementId: string): SettlementRow | undefined
  }
}

/** The settlement of a payout that came back, and the payout as it is now. */
const returnedPayout = ({ settlements }: NoticeNeeds, { kind, about, money }: OpenNotice) => {
  const row = kind === 'payout_returned' ? settlements.findById(about) : undefined
  const payout = row?.payouts.find(({ currency }) => currency === money?.currency)
  return row && payout && { row, payout }
}

type MessagesNeeds = PortalNeeds & NoticeNeeds & { readonly handle: Handle }

/** Whom it concerns, and where they see to it. */
const places: Readonly<
  Record<NoticeKind, { readonly action: StaffAction; readonly path: (about: string) => string }>
> = {
  authorization_expires: { action: 'capture', path: (tid) => `payments/${tid}` },
  callback_address_rested: { action: 'change_callbacks', path: () => 'developers' },
  event_destination_disabled: { action: 'change_callbacks', path: () => 'developers' },
  payout_returned: { action: 'see_money', path: () => 'money' },
  new_owner: { action: 'see_staff', path: () => 'staff' },
}

const isAddress = (kind: NoticeKind): boolean =>
  kind === 'callback_address_rested' || kind === 'event_destination_disabled'

/** What needs this person; newest first. What is too late needs nobody. */
const noticesFor = async (
  needs: NoticeNeeds,
  { shop, me }: PortalVisitor,
  at: Instant,
): Promise<readonly OpenNotice[]> => {
  const { open } = await needs.findNotices(shop.merchant)
  return open
    .filter((notice) => {
      const { kind, about, until } = notice
      if (returnedPayout(needs, notice)?.payout.status === 'paid') return false
      const isOwn = kind === 'new_owner' && about === me.member
      return !isOwn && mayDo(me.terms, places[kind].action) && (until === null || until > at)
    })
    .toReversed()
}

const titleOf = async (
  needs: NoticeNeeds,
  { shop, language, locale }: PortalVisitor,
  { kind, about, money }: OpenNotice,
): Promise<Html> => {
  const texts = textsIn[language].messages
  const amount = money ? minorText(money.amount, money.currency, locale) : 'none'
  const name = await (await actorNames(needs)(shop.merchant, language))(`staff:${about}`)
  return filledText(texts[kind], { amount, name })
}

const noticeHtml = async (
  needs: NoticeNeeds,
  visitor: PortalVisitor,
  notice: OpenNotice,
): Promise<Html> => {
  const { shop, language, csrf } = visitor
  const texts = textsIn[language].messages
  const { kind, about, until, raisedAt } = notice
  const end = until === null ? '' : shopTime(until, visitor)
  const returned = returnedPayout(needs, notice)
  const place = returned
    ? settlementHref(visitor, returned.row.serial)
    : portalPath(shop.merchant, places[kind].path(about))
  return (
    <li>
      <Form
        class="row"
        action={portalPath(shop.merchant, 'messages')}
        hidden={{ csrf, notice: notice.notice }}
      >
        <span>
          <span class="name">{await titleOf(needs, visitor, notice)}</span>{' '}
          {returned && (
            <span class="about">{returnText(returned.row, returned.payout, visitor)}</span>
          )}{' '}
          <span class="about">{filled(texts[`${kind}Do`], { time: end })}</span>{' '}
          <span class="quiet small">
            {shopTime(raisedAt, visitor)} {isAddress(kind) && ['· ', <code>{about}</code>]}
          </span>
        </span>
        <span class="buttons">
          <Link class="button slim second" href={place} text={texts.toThere} />
          {returned && (
            <Link
              class="button slim second"
              href={moneyPath(visitor, 'account')}
              text={textsIn[language].money.account}
            />
          )}
          <button class="plain">{texts.done}</button>
        </span>
      </Form>
    </li>
  )
}

/** The newest of what needs this person; empty when nothing does. */
export const noticesHtml = async (
  needs: NoticeNeeds,
  visitor: PortalVisitor,
  at: Instant,
  limit: number,
): Promise<Html> => {
  const found = (await noticesFor(needs, visitor, at)).slice(0, limit)
  if (found.length === 0) return null
  const items = await Promise.all(found.map((one) => noticeHtml(needs, visitor, one)))
  return <ul class="list">{items}</ul>
}

const mostListed = 100

/** What needs somebody, until somebody has seen to it. */
export const messagesRoutes = (needs: MessagesNeeds, visits: Visits): Route[] => {
  const { page, form } = portalPages(needs, visits)
  const place = {
    path: '/portal/:merchant/messages',
    action: 'see_messages',
    area: 'messages',
  } as const
  return [
    page({ ...place, summary: 'What needs somebody' }, async (visitor, call) => {
      const texts = textsIn[visitor.language].messages
      const title = textsIn[visitor.language].portal.messages
      const list = await noticesHtml(needs, visitor, call.at, mostListed)
      const done = searchOf(call).has('done') ? texts.isDone : undefined
      return {
        title,
        body: [
          <Title text={title}>
            <Link
              class="button slim second"
              href={ownSettingsPath}
              text={textsIn[visitor.language].notices.title}
            />
          </Title>,
          <Done text={done} />,
          <section class="card">
            {list === null
              ? [<p>{texts.none}</p>, <p class="quiet small">{texts.noneHint}</p>]
              : list}
          </section>,
        ],
      }
    }),
    form(
      {
        ...place,
        summary: 'Note that something is seen to',
        ownForm: plainForm.extend({ notice: hidden('what is seen to.') }),
      },
      async (visitor, call) => {
        const { merchant } = visitor.shop
        const notice = fieldOf(call.body, 'notice')
        const found = await noticesFor(needs, visitor, call.at)
        const command = { type: 'SettleNotice', notice } as const
        // Of others, somebody else has seen to it meanwhile.
        if (found.some((one) => one.notice === notice))
          await needs.handle(noticesOfMerchants, merchant, command, contextOfStaff(call, visitor))
        return visits.go(visitor, portalPath(merchant, 'messages?done'))
      },
    ),
  ]
}
