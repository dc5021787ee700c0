import { html } from 'hono/html'
import { z } from 'zod'
import type { StaffWork } from '../../application/staff.ts'
import { staffs } from '../../domain/aggregates.ts'
import type { Handle } from '../../application/handle.ts'
import { staffActor } from '../../domain/merchant/staff.ts'
import { memberOf } from '../../domain/staff-members.ts'
import { contextOfPayer, searchOf, type Call } from '../call.ts'
import { anyForm, fieldOf } from '../forms.ts'
import { asked, foreign, hidden, plainForm } from '../payer/form-parts.ts'
import { redirectReply } from '../payer/page.ts'
import type { Visits } from '../payer/session.ts'
import type { RawReply, Route } from '../route.ts'
import { portalPath } from './areas.ts'
import { invitationHtml, leavePage, listHtml, lobbyPath, shopHtml } from './lobby-parts.ts'
import type { PortalNeeds } from './guard.ts'
import type { LobbyVisitor } from '../staff/frame.ts'
import type { PortalPage } from './page.ts'
import { inLobbyRoutes, merchantParam, portalPages } from './pages.ts'
import { card } from './parts.ts'
import { frameTexts } from './texts.ts'
import { lobbyTexts } from './texts-lobby.ts'

type LobbyNeeds = PortalNeeds & Pick<StaffWork, 'acceptInvitation'> & { readonly handle: Handle }

const invitationForm = plainForm.extend({
  merchant: hidden('the merchant that invites.').pipe(merchantParam),
  member: hidden('the invitation.'),
  decision: z.enum(['accept', 'decline']),
})

const { get, post } = inLobbyRoutes

const lobbyPage =
  (needs: LobbyNeeds) =>
  async (visitor: LobbyVisitor, call: Call): Promise<PortalPage> => {
    const places = await needs.placesOf(visitor.session.payer)
    const texts = lobbyTexts[visitor.language]
    const frame = frameTexts[visitor.language]
    const known = await Promise.all(
      places.map(async ({ merchant, member, hasJoined }) => {
        const shop = needs.findShop(merchant)
        const one = memberOf(await needs.findStaff(merchant), member)
        const role = one && html`${frame[`role_${one.terms.role}`].toLowerCase()}`
        return shop && role ? [{ shop, member, role, hasJoined }] : []
      }),
    )
    const all = known.flat()
    const joined = all.filter(({ hasJoined }) => hasJoined)
    const leaving = joined.find(({ shop }) => shop.merchant === searchOf(call).get('leave'))
    if (leaving) return leavePage(visitor, leaving)
    const invited = all.filter(({ hasJoined }) => !hasJoined)
    return {
      title: frame.yourMerchants,
      body: html`<div class="lobby">
        <h1>${frame.yourMerchants}</h1>
        ${
          invited.length === 0
            ? ''
            : card(texts.invitations, listHtml(invited.map((one) => invitationHtml(visitor, one))))
        }
        <section class="card">
          ${
            joined.length === 0
              ? html`<p>${texts.none}</p>
                  <p class="quiet">${texts.noneHint}</p>`
              : listHtml(joined.map((one) => shopHtml(visitor, one)))
          }
          <div class="actions">
            <a class="button ${joined.length === 0 ? '' : 'second'}" href="/portal/sign-up"
              >${texts.signUp}</a
            >
          </div>
        </section>
      </div>`,
    }
  }

/** Accepts or declines an invitation. @throws Refusal resource_is_unknown */
const answerInvitation =
  (needs: LobbyNeeds, visits: Visits) =>
  async (visitor: LobbyVisitor, call: Call): Promise<RawReply> => {
    const form = call.body as Readonly<Record<string, string>>
    visits.checkForm(call, visitor, form)
    const { payer } = visitor.session
    const [merchant, member] = [fieldOf(form, 'merchant'), fieldOf(form, 'member')]
    const context = contextOfPayer(call, payer, merchant)
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
        leave: asked('The merchant that one wants to leave.'),
      }),
      handle: (call) => inLobby(call, (visitor) => show(visitor, call)),
    }),
    post(lobbyPath, {
      summary: 'Accept or decline an invitation',
      body: anyForm,
      takesForm: true,
      ownForm: invitationForm,
      success: 'raw otherwise',
      errors: { 303: 'Done, or not signed in.', 403: foreign, 404: 'No such invitation.' },
      handle: (call) => inLobby(call, (visitor) => answer(visitor, call)),
    }),
  ]
}
