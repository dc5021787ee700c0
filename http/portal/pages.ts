import { z } from 'zod'
import { mayDo, type StaffAction } from '../../domain/merchant/staff-roles.ts'
import { refuse } from '../../domain/refusal.ts'
import type { Call } from '../call.ts'
import { ofForm, ofPage, type FormCall, type PageCall } from '../payer/pages.ts'
import type { Visits } from '../payer/session.ts'
import { route, type Route } from '../route.ts'
import type { Area } from './areas.ts'
import {
  answering,
  contextOfStaff,
  enter,
  forbiddenPage,
  isReply,
  lobbyVisitor,
  type PortalNeeds,
  type Shown,
} from './guard.ts'
import { portalReply, type LobbyVisitor, type PortalVisitor } from './page.ts'

/** In the path of every page of a merchant. */
export const merchantParam = z
  .string()
  .regex(/^[a-zA-Z0-9_-]{1,64}$/)
  .meta({ description: 'The id of the merchant.' })

export const shopParams = z.object({ merchant: merchantParam })

type ShopParams = z.ZodType<{ readonly merchant: string }> & z.ZodObject

type Place<Schema> = {
  /** From the root, with `:merchant`. */
  readonly path: string
  readonly summary: string
  readonly params: Schema
  /** Who may not do it gets a 403. */
  readonly action: StaffAction
  /** What the menu marks. */
  readonly area: Area
  readonly ownQuery?: z.ZodObject
  /** Of a file to download; else text/html. */
  readonly replyTypes?: readonly string[]
  readonly errors?: Readonly<Record<number, string>>
}

const pageErrors = {
  303: 'Not signed in: on to the sign-in.',
  403: 'The role does not allow it.',
  404: 'Not on the staff of the merchant, or it has no such thing.',
}
const formErrors = {
  ...pageErrors,
  303: 'Done, or not signed in.',
  400: 'Something is missing or wrong.',
  409: 'It cannot be done now.',
}

/**
 * Makes pages and forms of the portal. Each form posts to the path of a page.
 * Long because it is the guard, and the two makers of routes that share it.
 */
export const portalPages = (needs: PortalNeeds, visits: Visits) => {
  const answer = answering(needs)

  /** For somebody who has signed in, whether or not on a staff. */
  const inLobby = (call: Call, work: (visitor: LobbyVisitor) => Promise<Shown>) =>
    visits.signedInPage(call, (signedIn) => {
      const visitor = lobbyVisitor(needs, signedIn)
      return answer(visitor, call, () => work(visitor))
    })

  const inShop = (
    call: Call,
    { action, area }: Pick<Place<unknown>, 'action' | 'area'>,
    work: (visitor: PortalVisitor) => Promise<Shown>,
  ) =>
    inLobby(call, async (visitor) => {
      const { merchant } = call.params as { readonly merchant: string }
      const staff = await enter(needs, visitor, merchant)
      if (!mayDo(staff.me.terms, action))
        return portalReply(staff, { ...forbiddenPage(staff), area }, needs.isSecure)
      if (call.request.method === 'GET') needs.noteVisit(staff, contextOfStaff(call, staff))
      return answer(staff, call, async () => {
        const shown = await work(staff)
        return isReply(shown) ? shown : { area, ...shown }
      })
    })

  return {
    inLobby,
    page: <Schema extends ShopParams>(
      { action, area, errors, ...place }: Place<Schema>,
      show: (visitor: PortalVisitor, call: PageCall<Schema>) => Promise<Shown>,
    ): Route =>
      route({
        ...ofPage,
        group: 'Portal',
        ...place,
        errors: { ...pageErrors, ...errors },
        handle: (call) =>
          inShop(call, { action, area }, (visitor) => show(visitor, call as PageCall<Schema>)),
      }),
    /** The form must come from our page and belong to this person. */
    form: <Asked extends z.ZodType, Schema extends ShopParams>(
      {
        action,
        area,
        errors,
        hasNextPage = false,
        ...place
      }: Place<Schema> & { readonly ownForm: Asked; readonly hasNextPage?: boolean },
      carryOut: (visitor: PortalVisitor, call: FormCall<Schema, Asked>) => Promise<Shown>,
    ): Route =>
      route({
        ...ofForm(hasNextPage),
        group: 'Portal',
        ...place,
        errors: { ...formErrors, ...errors },
        handle: (call) =>
          inShop(call, { action, area }, (visitor) => {
            visits.checkForm(call, visitor, call.body)
            return carryOut(visitor, call as FormCall<Schema, Asked>)
          }),
      }),
    /** The second factor again. @throws Refusal second_factor_is_needed, sign_in_is_wrong */
    confirm: async (visitor: PortalVisitor, code: string, call: Call): Promise<void> => {
      if (code === '') return refuse('second_factor_is_needed')
      const { session, known } = visitor
      const context = { ...contextOfStaff(call, visitor), actor: `payer:${session.payer}` }
      await needs.confirmPayer(session.payer, { code, known }, context)
    },
  }
}

export type PortalPages = ReturnType<typeof portalPages>
