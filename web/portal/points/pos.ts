import type { Handle } from '../../../application/handle.ts'
import { pointsOfSale } from '../../../domain/aggregates.ts'
import { newPosId, posId, posName } from '../../../domain/merchant/pos.ts'
import { Refusal } from '../../../domain/refusal.ts'
import { within } from '../../../domain/stream.ts'
import { searchOf, type Call } from '../../../http/call.ts'
import { fieldOf } from '../../../http/forms.ts'
import { isReadable } from '../../../domain/blanks.ts'
import { hasProblems } from '../../ui/fields.tsx'
import type { Visits } from '../../payer/session.tsx'
import type { RawReply, Route } from '../../../http/route.ts'
import { portalPath } from '../areas.ts'
import { contextOfStaff } from '../guard.ts'
import type { PortalVisitor } from '../page.tsx'
import { shopParams, type PortalPages } from '../pages.ts'
import {
  changePosPage,
  newPosPage,
  posForm,
  removePosPage,
  typedPos,
  type PosForm,
} from './pos-forms.tsx'
import { pointsPath, posOf, type PointNeeds, type PosData } from './rows.ts'
import { textsIn } from '../../../texts/catalogue.ts'

type PosFormNeeds = PointNeeds & { readonly handle: Handle }

const isNamed = ({ name }: Pick<PosData, 'name'>): boolean =>
  posName.safeParse(name).success && isReadable(name)

const idPattern = /^[a-zA-Z0-9_.-]{1,64}$/

const doneWith =
  (visits: Visits) =>
  (visitor: PortalVisitor, what: string): RawReply =>
    visits.go(visitor, portalPath(visitor.shop.merchant, pointsPath(`?done=${what}`)))

const makePos =
  (needs: PosFormNeeds, visits: Visits) =>
  async (visitor: PortalVisitor, call: Call<unknown, undefined, PosForm>) => {
    const texts = textsIn[visitor.language].points
    const typed = typedPos(call.body)
    const { merchant } = visitor.shop
    const isId = idPattern.test(typed.id) && newPosId.safeParse(typed.id).success
    const problems = {
      id: isId ? undefined : texts.wrongId,
      name: isNamed(typed) ? undefined : texts.wrongName,
    }
    if (hasProblems(problems)) return newPosPage(visitor, typed, problems)
    const data = { merchant, ...typed, location: null }
    try {
      const key = within(merchant, typed.id)
      const context = contextOfStaff(call as Call, visitor)
      await needs.handle(pointsOfSale, key, { type: 'Register', data }, context)
    } catch (error) {
      if (!(error instanceof Refusal) || error.code !== 'id_used_with_other_data') throw error
      return newPosPage(visitor, typed, { id: texts.taken })
    }
    return doneWith(visits)(visitor, 'made')
  }

const changePos =
  (needs: PosFormNeeds, visits: Visits) =>
  async (visitor: PortalVisitor, call: Call<{ readonly pos_id: string }, undefined, PosForm>) => {
    await needs.caughtUp()
    const pos = posOf(needs, visitor, call.params.pos_id)
    const { merchant, id } = pos
    const context = contextOfStaff(call as Call, visitor)
    const key = within(merchant, id)
    if (fieldOf(call.body, 'do') === 'remove') {
      await needs.handle(pointsOfSale, key, { type: 'Remove', merchant }, context)
      return doneWith(visits)(visitor, 'removed')
    }
    const typed = typedPos(call.body)
    if (!isNamed(typed))
      return changePosPage(visitor, pos, typed, {
        name: textsIn[visitor.language].points.wrongName,
      })
    const { name, type } = typed
    const command = { type: 'Change', merchant, changes: { name, type } } as const
    await needs.handle(pointsOfSale, key, command, context)
    return doneWith(visits)(visitor, 'changed')
  }

const changing = { action: 'change_points_of_sale', area: 'pointsOfSale' } as const
const posParams = shopParams.extend({ pos_id: posId })

/** Makes, changes and removes points of sale. */
export const posFormRoutes = (
  needs: PosFormNeeds,
  { page, form }: PortalPages,
  visits: Visits,
): Route[] => {
  const path = '/portal/:merchant/points-of-sale'
  return [
    page({ ...changing, path: `${path}/new`, summary: 'A new point of sale' }, async (visitor) =>
      newPosPage(visitor, { id: '', name: '', type: 'store' }),
    ),
    form(
      {
        ...changing,
        path: `${path}/new`,
        ownForm: posForm,
        summary: 'Make a point of sale',
      },
      makePos(needs, visits),
    ),
    page(
      { ...changing, path: `${path}/pos/:pos_id`, summary: 'A point of sale', params: posParams },
      async (visitor, call) => {
        await needs.caughtUp()
        const pos = posOf(needs, visitor, call.params.pos_id)
        return searchOf(call as Call).has('remove')
          ? removePosPage(visitor, pos)
          : changePosPage(visitor, pos, pos)
      },
    ),
    form(
      {
        ...changing,
        path: `${path}/pos/:pos_id`,
        params: posParams,
        ownForm: posForm,
        summary: 'Change or remove a point of sale',
      },
      changePos(needs, visits),
    ),
  ]
}
