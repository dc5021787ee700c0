import { html } from 'hono/html'
import type { Confirmation } from '../../application/account.ts'
import type { Context } from '../../application/handle.ts'
import { staffActor, type StaffWork } from '../../application/staff.ts'
import { staffOfPerson } from '../../domain/merchant/staff.ts'
import { refuse } from '../../domain/refusal.ts'
import { secondsAfter } from '../../domain/time.ts'
import { targetOf, type Call } from '../call.ts'
import { problemHtml, problemTitle } from '../payer/problem.ts'
import { toldProblem, type SignedIn } from '../payer/session.ts'
import { filled } from '../payer/words.ts'
import type { RawReply } from '../route.ts'
import { portalPath } from './areas.ts'
import {
  portalReply,
  type LobbyVisitor,
  type PortalPage,
  type PortalShop,
  type PortalVisitor,
} from './page.ts'
import { frameTexts } from './texts.ts'

export type PortalNeeds = Pick<StaffWork, 'findStaff' | 'placesOf'> & {
  readonly isSecure: boolean
  readonly isSandbox: boolean
  readonly caughtUp: () => Promise<void>
  readonly findShop: (merchant: string) => PortalShop | undefined
  readonly confirmPayer: (
    payer: string,
    confirmation: Confirmation,
    context: Context,
  ) => Promise<void>
  /** Notes that somebody has looked, at most once in a while. */
  readonly noteVisit: (visitor: PortalVisitor, context: Context) => void
}

/** The person as actor of what is done for the merchant. */
export const contextOfStaff = (
  { at, requestId: correlationId }: Call,
  { shop, me }: Pick<PortalVisitor, 'shop' | 'me'>,
): Context => ({ at, merchant: shop.merchant, actor: staffActor(me.member), correlationId })

export type Shown = PortalPage | RawReply
export const isReply = (shown: Shown): shown is RawReply => 'type' in shown

export const lobbyVisitor = ({ isSandbox }: PortalNeeds, visitor: SignedIn): LobbyVisitor => ({
  ...visitor,
  isSandbox,
  language: visitor.locale.startsWith('nb') ? 'nb' : 'en',
})

/** @throws Refusal resource_is_unknown for all but staff, so that nobody learns of merchants */
export const enter = async (
  needs: PortalNeeds,
  visitor: LobbyVisitor,
  merchant: string,
): Promise<PortalVisitor> => {
  const { payer } = visitor.session
  const me = staffOfPerson(await needs.findStaff(merchant), payer)
  if (!me) return refuse('resource_is_unknown')
  await needs.caughtUp()
  const shop = needs.findShop(merchant) ?? refuse('resource_is_unknown')
  const hasOthers = (await needs.placesOf(payer)).length > 1
  return { ...visitor, shop, me, hasOthers }
}

/** A problem as a page of the portal; undefined for those that are told as everywhere. */
const problemPage = (
  visitor: LobbyVisitor | PortalVisitor,
  error: unknown,
  call: Call,
): PortalPage | undefined => {
  const { texts, locale } = visitor
  const told = toldProblem(error, texts)
  if (!told) return undefined
  const { status, code, text, retryAfter = null } = told
  const isForm = call.request.method === 'POST'
  const home = 'shop' in visitor ? portalPath(visitor.shop.merchant) : '/portal/'
  return {
    title: problemTitle({ texts, status, code }),
    status,
    retryAfter,
    body: problemHtml({
      ...{ texts, locale, status, code, text, home, now: call.at },
      back: isForm || status === 429 ? targetOf(call) : undefined,
      retryAt: retryAfter === null ? undefined : secondsAfter(call.at, retryAfter),
    }),
  }
}

export const forbiddenPage = ({ language, me, shop }: PortalVisitor): PortalPage => {
  const texts = frameTexts[language]
  return {
    title: texts.forbidden,
    status: 403,
    body: html`<div class="card narrow-card">
      <h1>${texts.forbidden}</h1>
      <p>${filled(texts.forbiddenText, texts[`role_${me.terms.role}`].toLowerCase())}</p>
      <div class="actions">
        <a class="button" href="${portalPath(shop.merchant)}">${texts.backToOverview}</a>
      </div>
    </div>`,
  }
}

/** Answers with what the work shows, problems too. */
export const answering =
  (needs: PortalNeeds) =>
  async <Visitor extends LobbyVisitor>(
    visitor: Visitor,
    call: Call,
    work: () => Promise<Shown>,
  ): Promise<RawReply> => {
    let shown: Shown
    try {
      shown = await work()
    } catch (error) {
      const problem = problemPage(visitor, error, call)
      if (!problem) throw error
      shown = problem
    }
    return isReply(shown) ? shown : portalReply(visitor, shown, needs.isSecure)
  }
