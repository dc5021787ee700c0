import { Link } from '../ui/components.tsx'
import type { confirmPayer } from '../../application/account.ts'
import type { Context } from '../../application/handle.ts'
import type { AnyTerms } from '../../domain/staff-members.ts'
import type { Instant } from '../../domain/time.ts'
import { targetOf, type Call } from '../../http/call.ts'
import type { Group, RawReply } from '../../http/route.ts'
import { problemPage } from '../ui/problem.tsx'
import { pageProblem, type Visits } from '../payer/session.tsx'
import type { FramedPage, LobbyVisitor } from './frame.tsx'
import { Refusal } from '../../domain/refusal.ts'
import { compactFieldOf, type Fields } from '../../http/forms.ts'

/** What is wrong with the one-time code of a form; undefined when it is right. */
export const codeProblem = async <Visitor extends LobbyVisitor>(
  confirm: (visitor: Visitor, code: string, call: Call) => Promise<void>,
  visitor: Visitor,
  call: Call<unknown, undefined, Fields<'code'>>,
): Promise<string | undefined> => {
  try {
    await confirm(visitor, compactFieldOf(call.body, 'code'), call)
    return undefined
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    if (error.code === 'second_factor_is_needed') return visitor.texts.stepUpNeeded
    if (error.code === 'sign_in_is_wrong') return visitor.texts.wrongCode
    throw error
  }
}

export type StaffPageNeeds = {
  readonly now: () => Instant
  readonly isSecure: boolean
  readonly isSandbox: boolean
  readonly twinUrl: string | undefined
  readonly confirmPayer: ReturnType<typeof confirmPayer>
}

export type View<Page extends FramedPage> = Page | RawReply

export const isReply = <Other extends object>(view: Other | RawReply): view is RawReply =>
  'type' in view

/** Somebody on the staff, in a role. */
export type StaffVisitor = LobbyVisitor & { readonly me: { readonly terms: AnyTerms } }

/** Whose pages they are: of a merchant, or of the operator. */
export type House<Visitor extends StaffVisitor, Page extends FramedPage, Action, Area> = {
  readonly group: Group
  /** Where to go after a problem. */
  readonly homeOf: (visitor: LobbyVisitor | Visitor) => string
  /** A reply leads elsewhere. @throws Refusal resource_is_unknown for all but staff */
  readonly enter: (visitor: LobbyVisitor, call: Call) => Promise<Visitor | RawReply>
  readonly mayDo: (visitor: Visitor, action: Action) => boolean
  /** For a role that may not do it. */
  readonly forbidden: (visitor: Visitor, area: Area | undefined) => Page
  readonly reply: (
    visitor: LobbyVisitor | Visitor,
    page: Page,
    isSecure: boolean,
  ) => Promise<RawReply>
  /** Notes that somebody looks. */
  readonly noteVisit: (visitor: Visitor, call: Call) => void
  readonly contextOf: (call: Call, visitor: Visitor) => Context
  /** What a 404 means. */
  readonly missing: string
}

/** A problem as a page of the staff; undefined for those that are told as everywhere. */
const staffProblem = (
  { texts, locale }: LobbyVisitor,
  error: unknown,
  call: Call,
  home: string,
): FramedPage | undefined => {
  const problem = pageProblem(error, texts)
  if (!problem) return undefined
  const { status, retryAfter = null } = problem
  const isForm = call.request.method === 'POST'
  const back = isForm || status === 429 ? targetOf(call) : undefined
  const page = problemPage({ ...problem, texts, locale, home, now: call.at, back })
  return { ...page, status, retryAfter }
}

export const forbiddenHtml = (title: string, text: unknown, home: string, way: string) => (
  <div class="card narrow-card">
    <h1>{title}</h1>
    <p>{text}</p>
    <div class="actions">
      <Link class="button" href={home} text={way} />
    </div>
  </div>
)

/** Who enters, and what they are answered; problems are told in the frame. */
export const guarding = <Visitor extends StaffVisitor, Page extends FramedPage, Action, Area>(
  { isSecure, isSandbox, twinUrl }: StaffPageNeeds,
  visits: Visits,
  house: House<Visitor, Page, Action, Area>,
) => {
  /** Answers with what the work shows, problems too. */
  const answer = async (
    visitor: LobbyVisitor | Visitor,
    call: Call,
    work: () => Promise<View<Page>>,
  ): Promise<RawReply> => {
    let view: View<Page>
    try {
      view = await work()
    } catch (error) {
      const problem = staffProblem(visitor, error, call, house.homeOf(visitor))
      if (!problem) throw error
      view = problem as Page
    }
    return isReply(view) ? view : house.reply(visitor, view, isSecure)
  }

  /** For somebody who has signed in, whether or not on a staff. */
  const inLobby = (call: Call, work: (visitor: LobbyVisitor) => Promise<View<Page>>) =>
    visits.signedInPage(call, (signedIn) => {
      const visitor: LobbyVisitor = { ...signedIn, isSandbox, twinUrl, at: call.at }
      return answer(visitor, call, () => work(visitor))
    })

  const inHouse = (
    call: Call,
    { action, area }: { readonly action: Action; readonly area: Area | undefined },
    work: (visitor: Visitor) => Promise<View<Page>>,
  ) =>
    inLobby(call, async (visitor) => {
      const staff = await house.enter(visitor, call)
      if (isReply(staff)) return staff
      if (!house.mayDo(staff, action))
        return house.reply(staff, house.forbidden(staff, area), isSecure)
      if (call.request.method === 'GET') house.noteVisit(staff, call)
      return answer(staff, call, async () => {
        const view = await work(staff)
        return isReply(view) ? view : { area, ...view }
      })
    })

  /** Whether somebody who asks may do it; nothing is answered. */
  const mayDo = async (call: Call, action: Action): Promise<boolean> => {
    let may = false
    await inLobby(call, async (visitor) => {
      const staff = await house.enter(visitor, call)
      may = !isReply(staff) && house.mayDo(staff, action)
      return visits.go(visitor, house.homeOf(visitor))
    })
    return may
  }

  return { inLobby, inHouse, mayDo }
}
