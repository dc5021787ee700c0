import type { Html } from '../ui/components.tsx'
import type { Context } from '../../application/handle.ts'
import { operatorActor, type OperatorWork } from '../../application/operators.ts'
import {
  operatorMayDo,
  type OperatorAction,
  type Operator,
} from '../../domain/people/operator-roles.ts'
import { Refusal, refuse } from '../../domain/refusal.ts'
import { memberOfPerson } from '../../domain/staff-members.ts'
import { contextBy, type Call } from '../../http/call.ts'
import type { Visits } from '../payer/session.tsx'
import { refusalText } from '../portal/developers/refusal-texts.ts'
import type { RawReply } from '../../http/route.ts'
import { framedReply, type FramedPage, type Link, type LobbyVisitor } from '../staff/frame.tsx'
import { forbiddenHtml, type StaffPageNeeds } from '../staff/guard.tsx'
import { staffPages } from '../staff/pages.ts'
import { operatorAreas, operatorPath, type OperatorArea } from './areas.ts'
import { textsIn } from '../../texts/catalogue.ts'

/** Somebody who works for the operator. */
export type OperatorVisitor = LobbyVisitor & { readonly me: Operator }

export type OperatorPage = FramedPage & { readonly area?: OperatorArea | undefined }

export type OperatorNeeds = StaffPageNeeds &
  Pick<OperatorWork, 'findOperators' | 'invitationOf'> & {
    readonly caughtUp: () => Promise<void>
    /** Notes that somebody has looked, at most once in a while. */
    readonly noteOperatorVisit: (me: Operator, context: Context) => void
  }

/** The person as actor; the merchant whom it concerns. */
export const contextOfOperator = (
  call: Call,
  { me }: Pick<OperatorVisitor, 'me'>,
  merchant?: string | null,
): Context => contextBy(call, operatorActor(me.member), merchant)

export const joinPath = operatorPath('join')

const roleOf = ({ language, me }: OperatorVisitor): string =>
  textsIn[language].operator[`role_${me.terms.role}`]

const linksFor = ({ language, me }: OperatorVisitor, current: OperatorArea | undefined) =>
  (Object.keys(operatorAreas) as OperatorArea[])
    .filter((area) => operatorMayDo(me.terms, operatorAreas[area].action))
    .map((area): Link => {
      const { path, text, icon } = operatorAreas[area]
      const name = textsIn[language].operator[text]
      return { href: operatorPath(path), name, icon, isCurrent: area === current }
    })

const isOfHouse = (visitor: LobbyVisitor | OperatorVisitor): visitor is OperatorVisitor =>
  'me' in visitor

const operatorReply = (
  visitor: LobbyVisitor | OperatorVisitor,
  page: OperatorPage,
  isSecure: boolean,
): Promise<RawReply> => {
  const texts = textsIn[visitor.language].operator
  const styles = ['/portal/style.css', '/operator/style.css']
  const around = { home: operatorPath(), place: texts.operator, note: null, styles }
  if (!isOfHouse(visitor))
    return framedReply(visitor, page, { ...around, who: null, menu: undefined }, isSecure)
  const who = (
    <div class="shop-now">
      <span>
        <b>{texts.operator}</b>
        <span class="quiet small">{roleOf(visitor)}</span>
      </span>
    </div>
  )
  const menu = { label: texts.menu, links: linksFor(visitor, page.area) }
  return framedReply(visitor, page, { ...around, who, menu }, isSecure)
}

/** @throws Refusal resource_is_unknown for all but those who work for the operator */
const enter = async (
  needs: OperatorNeeds,
  visits: Visits,
  visitor: LobbyVisitor,
): Promise<OperatorVisitor | RawReply> => {
  const { payer } = visitor.session
  const me = memberOfPerson(await needs.findOperators(), payer)
  if (!me)
    return (await needs.invitationOf(payer))
      ? visits.go(visitor, joinPath)
      : refuse('resource_is_unknown')
  await needs.caughtUp()
  return { ...visitor, me }
}

const forbiddenPage = (visitor: OperatorVisitor, area: OperatorArea | undefined): OperatorPage => {
  const texts = textsIn[visitor.language].operator
  const why = texts.forbiddenText({ role: visitor.me.terms.role })
  const title = texts.forbidden
  const body = forbiddenHtml(title, why, operatorPath(), texts.backToOverview)
  return { title, area, status: 403, body }
}

/** The name of whoever of the operator has done something. */
export const nameFor = async (
  { findOperators, nameOf }: Pick<OperatorWork, 'findOperators' | 'nameOf'>,
  by: string,
): Promise<string> => {
  const { members } = await findOperators()
  const member = members.find((one) => operatorActor(one.member) === by)
  return (member && (await nameOf(member.person))) ?? by
}

/** Why an act was refused, for the page; throws what no reader can change. */
export const problemOf = async (
  { language }: OperatorVisitor,
  act: () => Promise<unknown>,
): Promise<string | undefined> => {
  try {
    await act()
    return undefined
  } catch (error) {
    if (!(error instanceof Refusal) || error.code === 'resource_is_unknown') throw error
    return refusalText(error.code, language) ?? error.message
  }
}

/** Makes pages and forms of the operator. */
export const operatorPages = (needs: OperatorNeeds, visits: Visits) =>
  staffPages<OperatorVisitor, OperatorPage, OperatorAction, OperatorArea>(needs, visits, {
    group: 'Operator',
    missing: 'Not somebody of the operator, or there is no such thing.',
    homeOf: () => operatorPath(),
    enter: (visitor) => enter(needs, visits, visitor),
    mayDo: ({ me }, action) => operatorMayDo(me.terms, action),
    forbidden: forbiddenPage,
    reply: operatorReply,
    noteVisit: (visitor, call) =>
      needs.noteOperatorVisit(visitor.me, contextOfOperator(call, visitor)),
    contextOf: contextOfOperator,
  })

export type OperatorPages = ReturnType<typeof operatorPages>

/** Shows a page to somebody of the operator. */
export type PageOf<Needs> = (needs: Needs, visitor: OperatorVisitor, call: Call) => OperatorPage

export const merchantField = (label: string, value: string | null): Html => (
  <div>
    <label for="merchant">{label}</label>
    <input id="merchant" name="merchant" value={value ?? ''} autocapitalize="none" />
  </div>
)

export const dayField = (label: string, value: string | undefined): Html => (
  <div>
    <label for="day">{label}</label>
    <input id="day" name="day" type="date" value={value ?? ''} />
  </div>
)
