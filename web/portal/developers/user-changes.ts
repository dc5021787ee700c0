import { users } from '../../../domain/aggregates.ts'
import { keepSecret, registerUser, type SecretNeeds } from '../../../application/keep-secret.ts'
import type { Find } from '../../../application/find-state.ts'
import type { Handle } from '../../../application/handle.ts'
import type { Changes } from '../../../domain/register.ts'
import { userId, type UserData } from '../../../domain/merchant/user.ts'
import { Refusal, refuse } from '../../../domain/refusal.ts'
import { within } from '../../../domain/stream.ts'
import type { Call } from '../../../http/call.ts'
import { fieldOf } from '../../../http/forms.ts'
import { hasProblems, type Problems } from '../../ui/fields.tsx'
import type { Visits } from '../../payer/session.tsx'
import { contextOfStaff, type PageOrReply } from '../guard.ts'
import type { PortalVisitor } from '../page.tsx'
import type { AskCode } from './code-page.tsx'
import { newUserPage, type NewUserFields } from './new-user.tsx'
import { developersPath, textsOf } from './parts.tsx'
import {
  accessIn,
  mayGiveRefunds,
  netmaskProblem,
  wrongKey,
  type NewUserForm,
  type UserChecks,
  type UserForm,
} from './user-fields.tsx'
import { userPath, type UserRow } from './user-list.tsx'
import { userPage, type UserPageNeeds } from './user-page.tsx'

export type UserChangeNeeds = UserPageNeeds &
  SecretNeeds &
  UserChecks & {
    readonly handle: Handle
    readonly find: Find
    readonly caughtUp: () => Promise<void>
    /** The same for the same purpose. */
    readonly newClient: (purpose: string) => { readonly secret: string }
  }

type ShopParams = { readonly merchant: string }

type FindIn = (visitor: PortalVisitor, user: string) => UserRow

/** A form that is sent twice makes one secret, which nobody else's form makes. */
const secretFor = (
  { newClient }: UserChangeNeeds,
  { shop, me }: PortalVisitor,
  user: string,
  attempt: string,
): string => {
  if (attempt.length < 30) return refuse('resource_is_unknown')
  return newClient(JSON.stringify(['api user', shop.merchant, user, me.member, attempt])).secret
}

const problemsOf = (
  needs: UserChangeNeeds,
  visitor: PortalVisitor,
  form: NewUserFields,
): Problems => {
  const texts = textsOf(visitor)
  const { id = '', credential, access, pubkey = '' } = form
  const isKey = credential !== 'key' || needs.readPublicKey(pubkey) !== undefined
  return {
    id: userId.safeParse(id).success ? undefined : texts.wrongUserName,
    pubkey: isKey ? undefined : wrongKey(pubkey, visitor),
    ...(access && netmaskProblem(needs, access, visitor)),
  }
}

const adding =
  (needs: UserChangeNeeds, visits: Visits, ask: AskCode, findIn: FindIn) =>
  async (
    visitor: PortalVisitor,
    call: Call<ShopParams, undefined, NewUserForm>,
  ): Promise<PageOrReply> => {
    const { body } = call
    const { merchant } = visitor.shop
    const [id, attempt] = [fieldOf(body, 'id'), fieldOf(body, 'attempt')]
    const [credential, pubkey] = [fieldOf(body, 'credential'), fieldOf(body, 'pubkey')]
    const form = { id, attempt, credential, pubkey, access: accessIn(visitor, body) }
    const problems = problemsOf(needs, visitor, form)
    // What is no public key may be a private one: it is not sent back.
    const safe = problems['pubkey'] === undefined ? form : { ...form, pubkey: '' }
    if (hasProblems(problems)) return newUserPage(visitor, { ...safe, problems })
    const without = credential === 'secret' ? ['pubkey'] : []
    const question = await ask(visitor, call, { path: developersPath(merchant), without })
    if (question) return question
    const secret = credential === 'secret' ? secretFor(needs, visitor, id, attempt) : undefined
    const publicKey = secret === undefined ? (needs.readPublicKey(pubkey) ?? null) : null
    const user = { merchant, id, mayRefund: false, ...form.access, publicKey }
    const context = contextOfStaff(call, visitor)
    try {
      await registerUser(needs)(user, secret, context, mayGiveRefunds(visitor))
    } catch (error) {
      if (!(error instanceof Refusal) || error.code !== 'id_used_with_other_data') throw error
      const taken = { id: textsOf(visitor).userIsThere }
      return newUserPage(visitor, { ...form, problems: taken })
    }
    if (secret === undefined) return visits.go(visitor, userPath(merchant, id, '?done=added'))
    await needs.caughtUp()
    return userPage(needs, visitor, findIn(visitor, id), { secret })
  }

type UserCall = Call<ShopParams, undefined, UserForm>

type Change = (visitor: PortalVisitor, row: UserRow, call: UserCall) => Promise<PageOrReply>

/** A change of fields that goes back to the page of the user. */
const saving = (needs: UserChangeNeeds, visits: Visits, ask: AskCode) => {
  const change = async (
    visitor: PortalVisitor,
    { data: { id } }: UserRow,
    call: UserCall,
    changes: Changes<UserData>,
  ): Promise<void> => {
    const { merchant } = visitor.shop
    const giverMayRefund = mayGiveRefunds(visitor)
    const command = { type: 'Change', merchant, changes, giverMayRefund } as const
    await needs.handle(users, within(merchant, id), command, contextOfStaff(call, visitor))
  }
  const save =
    (changesIn: (call: UserCall) => Changes<UserData>, done = 'saved'): Change =>
    async (visitor, row, call) => {
      await change(visitor, row, call, changesIn(call))
      return visits.go(visitor, userPath(visitor.shop.merchant, row.data.id, `?done=${done}`))
    }
  const confirmed =
    (change: Change): Change =>
    async (visitor, row, call) => {
      const path = userPath(visitor.shop.merchant, row.data.id)
      return (await ask(visitor, call, { path })) ?? change(visitor, row, call)
    }
  return { change, save, confirmed }
}

/** By what a form says. */
const changing = (
  needs: UserChangeNeeds,
  visits: Visits,
  ask: AskCode,
  findIn: FindIn,
): ReadonlyMap<string, Change> => {
  const { change, save, confirmed } = saving(needs, visits, ask)
  const access: Change = async (visitor, row, call) => {
    const typed = accessIn(visitor, call.body)
    const problems = netmaskProblem(needs, typed, visitor)
    return hasProblems(problems)
      ? userPage(needs, visitor, row, { form: { access: typed, problems } })
      : confirmed(save(() => typed))(visitor, row, call)
  }
  const key: Change = async (visitor, row, call) => {
    const pubkey = fieldOf(call.body, 'pubkey')
    const publicKey = needs.readPublicKey(pubkey)
    const problems = { pubkey: wrongKey(pubkey, visitor) }
    return publicKey === undefined
      ? userPage(needs, visitor, row, { form: { problems } })
      : confirmed(save(() => ({ publicKey }), row.data.publicKey === null ? 'saved' : 'key'))(
          visitor,
          row,
          call,
        )
  }
  const secret: Change = async (visitor, row, call) => {
    const { id } = row.data
    const made = secretFor(needs, visitor, id, fieldOf(call.body, 'attempt'))
    await change(visitor, row, call, await keepSecret(needs)(made, row.data))
    await needs.caughtUp()
    return userPage(needs, visitor, findIn(visitor, id), { secret: made })
  }
  const end =
    (type: 'Disable' | 'Enable' | 'Remove', done: string): Change =>
    async (visitor, { data: { id } }, call) => {
      const { merchant } = visitor.shop
      const context = contextOfStaff(call, visitor)
      const command = { type, merchant, giverMayRefund: mayGiveRefunds(visitor) } as const
      await needs.handle(users, within(merchant, id), command, context)
      const path = type === 'Remove' ? developersPath(merchant) : userPath(merchant, id)
      return visits.go(visitor, `${path}?done=${done}`)
    }
  return new Map<string, Change>([
    ['access', access],
    ['key', key],
    ['secret', confirmed(secret)],
    ['drop_key', confirmed(save(() => ({ publicKey: null })))],
    ['drop_secret', confirmed(save(() => ({ secretHash: null })))],
    ['disable', confirmed(end('Disable', 'disabled'))],
    ['enable', confirmed(end('Enable', 'enabled'))],
    ['remove', confirmed(end('Remove', 'removed'))],
  ])
}

export const userChanges = (
  needs: UserChangeNeeds,
  visits: Visits,
  ask: AskCode,
  findIn: FindIn,
) => {
  const changes = changing(needs, visits, ask, findIn)
  return {
    add: adding(needs, visits, ask, findIn),
    change: (visitor: PortalVisitor, row: UserRow, call: UserCall): Promise<PageOrReply> =>
      (changes.get(fieldOf(call.body, 'change')) ?? refuse('resource_is_unknown'))(
        visitor,
        row,
        call,
      ),
  }
}
