import type { Context, Handle } from '../../../application/handle.ts'
import { shortlinks } from '../../../domain/aggregates.ts'
import { Refusal } from '../../../domain/refusal.ts'
import { generatedId } from '../../../http/addresses.ts'
import { searchOf, type Call } from '../../../http/call.ts'
import { fieldOf } from '../../../http/forms.ts'
import { hasProblems } from '../../ui/fields.tsx'
import type { Visits } from '../../payer/session.tsx'
import type { Route } from '../../../http/route.ts'
import { portalPath } from '../areas.ts'
import { contextOfStaff } from '../guard.ts'
import type { PortalVisitor } from '../page.tsx'
import { shopParams, type PortalPages } from '../pages.ts'
import {
  changeCodePage,
  codeForm,
  newCodePage,
  problemsOf,
  removeCodePage,
  typedCode,
  type CodeForm,
} from './forms.tsx'
import { codeOf, pointsPath, type PointNeeds } from './rows.ts'
import { textsIn } from '../../../texts/catalogue.ts'

export type CodeFormNeeds = PointNeeds & {
  readonly handle: Handle
  readonly newId: () => string
  /** The id of the code that a form makes, the same however often it is sent. */
  readonly shortlinkIdFor: (merchant: string, made: string) => string
  readonly claimSticker: (
    serial: string,
    shortlink: string,
    merchant: string,
    context: Context,
  ) => Promise<string>
}

export const codeParams = shopParams.extend({ shortlink_id: generatedId })

const changing = { action: 'change_points_of_sale', area: 'pointsOfSale' } as const

const path = '/portal/:merchant/points-of-sale'

const orNothing = (text: string): string | null => (text === '' ? null : text)

const isTaken = (error: unknown): boolean =>
  error instanceof Refusal &&
  (error.code === 'serial_number_is_unknown' || error.code === 'serial_number_is_claimed')

const makeCode =
  (needs: CodeFormNeeds, visits: Visits) =>
  async (visitor: PortalVisitor, call: Call<unknown, undefined, CodeForm>) => {
    const texts = textsIn[visitor.language].points
    const { merchant } = visitor.shop
    const typed = typedCode(call.body)
    const made = fieldOf(call.body, 'made') || needs.newId()
    const problems = problemsOf(typed, texts)
    if (hasProblems(problems)) return newCodePage(visitor, made, typed, problems)
    const context = contextOfStaff(call as Call, visitor)
    const serialNumber = orNothing(typed.serialNumber)
    let id = needs.shortlinkIdFor(merchant, made)
    try {
      if (serialNumber !== null) id = await needs.claimSticker(serialNumber, id, merchant, context)
    } catch (error) {
      if (!isTaken(error)) throw error
      return newCodePage(visitor, made, typed, { serial_number: texts.serialWrong })
    }
    const about = {
      description: orNothing(typed.description),
      callbackUri: orNothing(typed.callbackUri),
    }
    const data = { merchant, id, serialNumber, ...about }
    await needs.handle(shortlinks, id, { type: 'Register', data }, context)
    return visits.go(visitor, portalPath(merchant, pointsPath(`/code/${id}?done=made`)))
  }

const changeCode =
  (needs: CodeFormNeeds, visits: Visits) =>
  async (
    visitor: PortalVisitor,
    call: Call<{ readonly shortlink_id: string }, undefined, CodeForm>,
  ) => {
    await needs.caughtUp()
    const { merchant } = visitor.shop
    const code = codeOf(needs, visitor, call.params.shortlink_id)
    const context = contextOfStaff(call as Call, visitor)
    if (fieldOf(call.body, 'do') === 'remove') {
      await needs.handle(shortlinks, code.id, { type: 'Remove', merchant }, context)
      return visits.go(visitor, portalPath(merchant, pointsPath('?done=removed')))
    }
    const typed = typedCode(call.body)
    const problems = problemsOf(typed, textsIn[visitor.language].points)
    if (hasProblems(problems)) return changeCodePage(visitor, code, typed, problems)
    const changes = {
      description: orNothing(typed.description),
      callbackUri: orNothing(typed.callbackUri),
    }
    await needs.handle(shortlinks, code.id, { type: 'Change', merchant, changes }, context)
    return visits.go(visitor, portalPath(merchant, pointsPath(`/code/${code.id}?done=changed`)))
  }

/** Makes, changes and removes codes. */
export const codeFormRoutes = (
  needs: CodeFormNeeds,
  { page, form }: PortalPages,
  visits: Visits,
): Route[] => [
  page({ ...changing, path: `${path}/new-code`, summary: 'A new code' }, async (visitor) =>
    newCodePage(visitor, needs.newId()),
  ),
  form(
    {
      ...changing,
      path: `${path}/new-code`,
      ownForm: codeForm,
      summary: 'Make a code, with or without a sticker',
    },
    makeCode(needs, visits),
  ),
  page(
    {
      ...changing,
      path: `${path}/code/:shortlink_id/change`,
      params: codeParams,
      summary: 'How a code may be changed',
    },
    async (visitor, call) => {
      await needs.caughtUp()
      const code = codeOf(needs, visitor, call.params.shortlink_id)
      return searchOf(call as Call).has('remove')
        ? removeCodePage(visitor, code)
        : changeCodePage(visitor, code, undefined)
    },
  ),
  form(
    {
      ...changing,
      path: `${path}/code/:shortlink_id/change`,
      params: codeParams,
      ownForm: codeForm,
      summary: 'Change or remove a code',
    },
    changeCode(needs, visits),
  ),
]
