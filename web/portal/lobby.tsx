import { Card, Form, Link, type Html } from '../ui/components.tsx'
import { z } from 'zod'
import {
  waitingKinds,
  type withdrawChange,
  type WaitingKind,
} from '../../application/change-owners.ts'
import type { StaffWork } from '../../application/staff.ts'
import { staffs } from '../../domain/aggregates.ts'
import type { Handle } from '../../application/handle.ts'
import { staffActor, type RequestedOwnerChange } from '../../domain/merchant/staff.ts'
import { refuse } from '../../domain/refusal.ts'
import { memberOf } from '../../domain/staff-members.ts'
import { contextOfPayer, searchOf, type Call } from '../../http/call.ts'
import { anyForm, fieldOf } from '../../http/forms.ts'
import { anyText, foreign, hidden, plainForm } from '../ui/fields.tsx'
import { redirectReply } from '../ui/page.tsx'
import { type Visits } from '../payer/session.tsx'
import type { RawReply, Route } from '../../http/route.ts'
import { allShopsHtml, type AllShopsNeeds } from './all-shops.tsx'
import { portalPath } from './areas.ts'
import type { PortalNeeds } from './guard.ts'
import type { LobbyVisitor } from '../staff/frame.tsx'
import type { PortalPage, PortalShop } from './page.tsx'
import { inLobbyRoutes, merchantParam, portalPages } from './pages.ts'
import { formPage } from './parts.tsx'
import { textsIn } from '../../texts/catalogue.ts'
import type { RequestedAccountChange } from '../../domain/accounting/settlement-account.ts'
import { utcTime } from '../ui/money.tsx'
import { filled, unseen } from '../ui/words.tsx'
import type { StaffTerms } from '../../domain/merchant/staff-roles.ts'

export const lobbyPath = '/portal/'

export type Known = {
  readonly shop: PortalShop
  readonly member: string
  readonly terms: StaffTerms
}

export const shopHtml = ({ language }: LobbyVisitor, { shop, terms: { role } }: Known): Html => {
  const texts = textsIn[language].lobby
  const closed = shop.reason === null ? texts.disabled : texts.turnedDown
  const state = !shop.isDisabled ? '' : shop.waits ? texts.waits : closed
  return (
    <li>
      <a class="row forth" href={portalPath(shop.merchant)}>
        <span>
          <span class="name">{shop.name}</span>{' '}
          <span class="quiet small">{texts.joinedAs({ merchant: shop.merchant, role })}</span>
        </span>
        {state !== '' && <b class="badge">{state}</b>}
      </a>{' '}
      <Link
        class="button slim danger"
        href={`${lobbyPath}?leave=${shop.merchant}`}
        text={texts.leave({ merchant: shop.name })}
      />
    </li>
  )
}

export const invitationHtml = (
  visitor: LobbyVisitor,
  { shop, member, terms: { role } }: Known,
): Html => {
  const texts = textsIn[visitor.language].lobby
  return (
    <li>
      <Form
        class="row"
        action={lobbyPath}
        hidden={{ csrf: visitor.csrf, merchant: shop.merchant, member }}
      >
        <span>
          <span class="name">{shop.name}</span>{' '}
          <span class="quiet small">{texts.invitedAs({ role })}</span>
        </span>
        <span class="buttons">
          <button class="slim" name="decision" value="accept">
            {texts.accept}
            {unseen(` ${shop.name}`)}
          </button>
          <button class="slim second" name="decision" value="decline">
            {texts.decline}
            {unseen(` ${shop.name}`)}
          </button>
        </span>
      </Form>
    </li>
  )
}

export type WaitingNeeds = {
  readonly accountChanges: {
    find(merchant: string): { readonly asked: RequestedAccountChange } | undefined
  }
  readonly ownerChanges: {
    find(merchant: string): { readonly asked: RequestedOwnerChange } | undefined
  }
}

/** Changes of a merchant that wait, each with the form that withdraws it. */
export const waitingHtml = (
  needs: WaitingNeeds,
  { language, locale, csrf }: LobbyVisitor,
  { merchant, name }: PortalShop,
  member: string,
): readonly Html[] => {
  const texts = textsIn[language].lobby
  const account = needs.accountChanges.find(merchant)?.asked
  const owner = needs.ownerChanges.find(merchant)?.asked
  const from = (change: { readonly takesEffectAt: number }) => utcTime(change.takesEffectAt, locale)
  const one = (kind: WaitingKind, change: string, text: Html) => (
    <li>
      <Form class="row" action={lobbyPath} hidden={{ csrf, merchant, member, kind, change }}>
        <span>
          <span class="name">{name}</span> <span class="quiet small">{text}</span>
        </span>
        <button class="slim second" name="decision" value="withdraw">
          {textsIn[language].staff.withdraw}
          {unseen(` ${name}`)}
        </button>
      </Form>
    </li>
  )
  return [
    ...(account
      ? [
          one(
            'account',
            account.change,
            filled(texts.waitingAccount, {
              end: account.payoutAccount.slice(-4),
              time: from(account),
            }),
          ),
        ]
      : []),
    ...(owner
      ? [one('owner', owner.change, filled(texts.waitingOwner, { time: from(owner) }))]
      : []),
  ]
}

/** What leaving means, before it is done. */
export const leavePage = (visitor: LobbyVisitor, { shop, member }: Known): PortalPage => {
  const texts = textsIn[visitor.language].lobby
  const title = texts.leave({ merchant: shop.name })
  const { leaveWhat } = textsIn[visitor.language].staff
  return formPage(visitor, {
    title,
    button: title,
    isDangerous: true,
    fields: <p>{leaveWhat}</p>,
    action: lobbyPath,
    hidden: { merchant: shop.merchant, member, decision: 'decline' },
    back: lobbyPath,
    backText: texts.leaveNo,
  })
}

export const listHtml = (items: readonly Html[]): Html => <ul class="list">{items}</ul>

type LobbyNeeds = PortalNeeds &
  WaitingNeeds &
  AllShopsNeeds &
  Pick<StaffWork, 'acceptInvitation' | 'ownedLately'> & {
    readonly handle: Handle
    readonly withdrawChange: ReturnType<typeof withdrawChange>
  }

const invitationForm = plainForm.extend({
  merchant: hidden('the merchant that invites.').pipe(merchantParam),
  member: hidden('the invitation.'),
  decision: z.enum(['accept', 'decline', 'withdraw']),
  kind: z.enum(waitingKinds).optional(),
  change: hidden('which change is withdrawn.').optional(),
})

const { get, post } = inLobbyRoutes

const lobbyPage =
  (needs: LobbyNeeds) =>
  async (visitor: LobbyVisitor, call: Call): Promise<PortalPage> => {
    const places = await needs.placesOf(visitor.session.payer)
    const texts = textsIn[visitor.language].lobby
    const frame = textsIn[visitor.language].portal
    const known = await Promise.all(
      places.map(async ({ merchant, member, hasJoined }) => {
        const shop = needs.findShop(merchant)
        const one = memberOf(await needs.findStaff(merchant), member)
        return shop && one ? [{ shop, member, terms: one.terms, hasJoined }] : []
      }),
    )
    const all = known.flat()
    const joined = all.filter(({ hasJoined }) => hasJoined)
    const leaving = joined.find(({ shop }) => shop.merchant === searchOf(call).get('leave'))
    if (leaving) return leavePage(visitor, leaving)
    const changes = await lateChanges(needs, visitor)
    await needs.caughtUp()
    const together = await allShopsHtml(needs, visitor, joined)
    const invited = all.filter(({ hasJoined }) => !hasJoined)
    return {
      title: frame.yourMerchants,
      body: [
        <h1>{frame.yourMerchants}</h1>,
        together,
        <div class="lobby">
          {invited.length > 0 && (
            <Card title={texts.invitations}>
              {listHtml(invited.map((one) => invitationHtml(visitor, one)))}
            </Card>
          )}
          {changes.length > 0 && <Card title={texts.ownedLately}>{listHtml(changes)}</Card>}
          <section class="card">
            {joined.length === 0
              ? [<p>{texts.none}</p>, <p class="quiet">{texts.noneHint}</p>]
              : listHtml(joined.map((one) => shopHtml(visitor, one)))}
            <div class="actions">
              <Link
                class={`button ${joined.length === 0 ? '' : 'second'}`}
                href="/portal/sign-up"
                text={texts.signUp}
              />
            </div>
          </section>
        </div>,
      ],
    }
  }

/** What a former owner can withdraw. */
const lateChanges = async (needs: LobbyNeeds, visitor: LobbyVisitor): Promise<readonly Html[]> => {
  const places = await needs.ownedLately(visitor.session.payer, visitor.at)
  return places.flatMap(({ merchant, member }) => {
    const shop = needs.findShop(merchant)
    return shop ? waitingHtml(needs, visitor, shop, member) : []
  })
}

/** Accepts or declines an invitation, or withdraws a change. @throws Refusal resource_is_unknown */
const answerInvitation =
  (needs: LobbyNeeds, visits: Visits) =>
  async (visitor: LobbyVisitor, call: Call): Promise<RawReply> => {
    const form = call.body as Readonly<Record<string, string>>
    visits.checkForm(call, visitor, form)
    const { payer } = visitor.session
    const [merchant, member] = [fieldOf(form, 'merchant'), fieldOf(form, 'member')]
    const context = contextOfPayer(call, payer, merchant)
    if (fieldOf(form, 'decision') === 'withdraw') {
      const kind = waitingKinds.find((one) => one === fieldOf(form, 'kind'))
      const mine = await needs.ownedLately(payer, call.at)
      const isMine = mine.some((one) => one.merchant === merchant && one.member === member)
      if (!kind || !isMine) return refuse('resource_is_unknown')
      const about = { merchant, kind, change: fieldOf(form, 'change') }
      await needs.withdrawChange(about, member, context)
      return visits.go(visitor, lobbyPath)
    }
    if (fieldOf(form, 'decision') !== 'decline') {
      await needs.acceptInvitation(merchant, member, payer, context)
      return visits.go(visitor, portalPath(merchant))
    }
    const places = await needs.placesOf(payer)
    const isTheirs = places.some((one) => one.merchant === merchant && one.member === member)
    const command = { type: 'Leave', member } as const
    const by = { ...context, actor: staffActor(member) }
    if (isTheirs) await needs.handle(staffs, merchant, command, by)
    return visits.go(visitor, lobbyPath)
  }

/** Where somebody chooses the merchant, and answers invitations. */
export const lobbyRoutes = (needs: LobbyNeeds, visits: Visits): Route[] => {
  const { inLobby } = portalPages(needs, visits)
  const show = lobbyPage(needs)
  const answer = answerInvitation(needs, visits)
  return [
    get('/portal', {
      summary: 'On to the merchants that one works for',
      success: 'raw otherwise',
      errors: { 303: 'On to `/portal/`.' },
      handle: () => redirectReply(lobbyPath, needs.isSecure),
    }),
    get(lobbyPath, {
      summary: 'The merchants that one works for, and invitations',
      success: 'raw',
      errors: { 303: 'Not signed in: on to the sign-in.' },
      ownQuery: z.object({
        leave: anyText('The merchant that one wants to leave.'),
      }),
      handle: (call) => inLobby(call, (visitor) => show(visitor, call)),
    }),
    post(lobbyPath, {
      summary: 'Accept or decline an invitation, or withdraw a change as a former owner',
      body: anyForm,
      takesForm: true,
      ownForm: invitationForm,
      success: 'raw otherwise',
      errors: { 303: 'Done, or not signed in.', 403: foreign, 404: 'No such invitation.' },
      handle: (call) => inLobby(call, (visitor) => answer(visitor, call)),
    }),
  ]
}
