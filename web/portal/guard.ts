import type { Context } from '../../application/handle.ts'
import type { StaffWork } from '../../application/staff.ts'
import { refuse } from '../../domain/refusal.ts'
import { staffActor } from '../../domain/merchant/staff.ts'
import { memberOfPerson } from '../../domain/staff-members.ts'
import type { Call } from '../../http/call.ts'
import { filled } from '../ui/words.tsx'
import type { RawReply } from '../../http/route.ts'
import type { LobbyVisitor } from '../staff/frame.tsx'
import { forbiddenHtml, type StaffPageNeeds } from '../staff/guard.tsx'
import { portalPath } from './areas.ts'
import type { PortalPage, PortalShop, PortalVisitor } from './page.tsx'
import { textsIn } from '../../texts/catalogue.ts'

export type PortalNeeds = StaffPageNeeds &
  Pick<StaffWork, 'findStaff' | 'placesOf'> & {
    readonly caughtUp: () => Promise<void>
    readonly findShop: (merchant: string) => PortalShop | undefined
    /** Notes that somebody has looked, at most once in a while. */
    readonly noteVisit: (visitor: PortalVisitor, context: Context) => void
  }

export type PageOrReply = PortalPage | RawReply

/** The person as actor of what is done for the merchant. */
export const contextOfStaff = (
  { at, requestId: correlationId, traceparent }: Call,
  { shop: { merchant }, me }: Pick<PortalVisitor, 'shop' | 'me'>,
): Context => ({ at, merchant, actor: staffActor(me.member), correlationId, traceparent })

/** @throws Refusal resource_is_unknown for all but staff, so that nobody learns of merchants */
export const enter = async (
  needs: PortalNeeds,
  visitor: LobbyVisitor,
  merchant: string,
): Promise<PortalVisitor> => {
  const { payer } = visitor.session
  const me = memberOfPerson(await needs.findStaff(merchant), payer)
  if (!me) return refuse('resource_is_unknown')
  await needs.caughtUp()
  const shop = needs.findShop(merchant) ?? refuse('resource_is_unknown')
  const hasOthers = (await needs.placesOf(payer)).length > 1
  return { ...visitor, shop, me, hasOthers }
}

export const forbiddenPage = ({ language, me, shop }: PortalVisitor): PortalPage => {
  const texts = textsIn[language].portal
  const why = filled(texts.forbiddenText, { role: me.terms.role })
  const home = portalPath(shop.merchant)
  return {
    title: texts.forbidden,
    status: 403,
    body: forbiddenHtml(texts.forbidden, why, home, texts.backToOverview),
  }
}
