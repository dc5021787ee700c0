import { z } from 'zod'
import { userId } from '../../../domain/merchant/user.ts'
import { streamOf, within } from '../../../domain/stream.ts'
import { mayDo } from '../../../domain/merchant/staff-roles.ts'
import { refuse } from '../../../domain/refusal.ts'
import { users } from '../../../domain/aggregates.ts'
import { searchOf } from '../../../http/call.ts'
import { anyText } from '../../ui/fields.tsx'
import type { Visits } from '../../payer/session.tsx'
import type { Route } from '../../../http/route.ts'
import type { PortalNeeds } from '../guard.ts'
import type { PortalVisitor } from '../page.tsx'
import { portalPages, shopParams } from '../pages.ts'
import { askCode } from './code-page.tsx'
import { newUserPage } from './new-user.tsx'
import { doneIn } from './parts.tsx'
import { userChanges, type UserChangeNeeds } from './user-changes.ts'
import { newUserForm, userForm } from './user-fields.tsx'
import { userListPage, type UserListNeeds, type UserRow } from './user-list.tsx'
import { userPage, type UserPageNeeds } from './user-page.tsx'

export type PortalUserNeeds = PortalNeeds &
  UserListNeeds &
  UserPageNeeds &
  UserChangeNeeds & {
    readonly users: { find(stream: string): UserRow | undefined }
  }

const place = { action: 'see_developers', area: 'developers' } as const

const listPath = '/portal/:merchant/developers'

const onePath = `${listPath}/users/:user`

const oneParams = shopParams.extend({
  user: userId.meta({ description: 'The name of the API user.' }),
})

const doneTexts = {
  added: 'userAdded',
  saved: 'saved',
  key: 'keyIsNew',
  removed: 'userRemoved',
  disabled: 'isDisabledNow',
  enabled: 'isEnabledNow',
} as const

/** @throws Refusal role_forbids_it */
const checkMay = ({ me }: PortalVisitor): void => {
  if (!mayDo(me.terms, 'change_api_users')) refuse('role_forbids_it')
}

const listQuery = z.object({
  add: anyText('The form of a new user.'),
  before: anyText('Where the page before ended.'),
  done: anyText('What was done.'),
})

const listOrForm = async (
  needs: PortalUserNeeds,
  visitor: PortalVisitor,
  search: URLSearchParams,
) => {
  if (search.has('add')) {
    checkMay(visitor)
    return newUserPage(visitor, { attempt: needs.newId() })
  }
  const before = Number(search.get('before') ?? Number.MAX_SAFE_INTEGER)
  const from = Number.isSafeInteger(before) ? before : Number.MAX_SAFE_INTEGER
  return userListPage(needs, visitor, from, doneIn(visitor, search, doneTexts))
}

/** API users of a merchant: they are made, get keys and secrets, and end. */
export const portalUserRoutes = (needs: PortalUserNeeds, visits: Visits): Route[] => {
  const { page, form, confirm } = portalPages(needs, visits)
  const findIn = ({ shop }: PortalVisitor, user: string): UserRow =>
    needs.users.find(streamOf(users, within(shop.merchant, user))) ?? refuse('resource_is_unknown')
  const { add, change } = userChanges(needs, visits, askCode(confirm), findIn)
  return [
    page(
      {
        ...place,
        path: listPath,
        summary: 'API users, and how to begin',
        ownQuery: listQuery,
      },
      (visitor, call) => listOrForm(needs, visitor, searchOf(call)),
    ),
    form(
      {
        ...place,
        path: listPath,
        action: 'change_api_users',
        summary: 'Make an API user',
        ownForm: newUserForm,
        hasNextPage: true,
      },
      add,
    ),
    page(
      { ...place, path: onePath, params: oneParams, summary: 'An API user' },
      async (visitor, call) => {
        const done = doneIn(visitor, searchOf(call), doneTexts)
        const row = findIn(visitor, call.params.user)
        return userPage(needs, visitor, row, done === undefined ? {} : { done })
      },
    ),
    form(
      {
        ...place,
        path: onePath,
        params: oneParams,
        action: 'change_api_users',
        summary: 'Change an API user: what it may, its key or secret, or that it is there',
        ownForm: userForm,
        hasNextPage: true,
      },
      (visitor, call) => change(visitor, findIn(visitor, call.params.user), call),
    ),
  ]
}
