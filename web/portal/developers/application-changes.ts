import { applications } from '../../../domain/aggregates.ts'
import type { Handle } from '../../../application/handle.ts'
import type { Find } from '../../../application/find-state.ts'
import { rotateClientSecret } from '../../../application/tokens.ts'
import { newApplication } from '../../../domain/people/application.ts'
import { refuse } from '../../../domain/refusal.ts'
import type { Call } from '../../../http/call.ts'
import { fieldOf } from '../../../http/forms.ts'
import { hasProblems } from '../../ui/fields.tsx'
import type { Visits } from '../../payer/session.tsx'
import { contextOfStaff, type PageOrReply } from '../guard.ts'
import type { PortalVisitor } from '../page.tsx'
import {
  overlapIn,
  publicFieldsIn,
  publicProblems,
  type ApplicationForm,
  type NewApplicationForm,
} from './application-fields.tsx'
import { applicationPath, applicationsPath, type ApplicationRow } from './application-list.tsx'
import { applicationPage, type ApplicationPageNeeds } from './application-page.tsx'
import type { AskCode } from './code-page.tsx'
import { newApplicationPage } from './new-application.tsx'
import { developersPath, textsOf } from './parts.tsx'

type Client = { readonly clientId: string; readonly secret: string; readonly secretHash: string }

export type ApplicationChangeNeeds = ApplicationPageNeeds & {
  readonly handle: Handle
  readonly find: Find
  readonly caughtUp: () => Promise<void>
  /** The same for the same purpose. */
  readonly newClient: (purpose: string) => Client
}

type ShopParams = { readonly merchant: string }
type FindIn = (visitor: PortalVisitor, client: string) => ApplicationRow

/** A form that is sent twice makes one client, which nobody else's form makes. */
const clientFor = (
  { newClient }: ApplicationChangeNeeds,
  { shop, me }: PortalVisitor,
  about: string,
  attempt: string,
): Client => {
  if (attempt.length < 30) return refuse('resource_is_unknown')
  return newClient(JSON.stringify(['application', shop.merchant, about, me.member, attempt]))
}

const adding =
  (needs: ApplicationChangeNeeds, ask: AskCode, findIn: FindIn) =>
  async (
    visitor: PortalVisitor,
    call: Call<ShopParams, undefined, NewApplicationForm>,
  ): Promise<PageOrReply> => {
    const { body, at } = call
    const typed = publicFieldsIn(body)
    const attempt = fieldOf(body, 'attempt')
    const isPublic = fieldOf(body, 'kind') === 'public'
    const isBound = fieldOf(body, 'dpop') === 'yes'
    const problems = publicProblems(visitor, typed)
    if (hasProblems(problems))
      return newApplicationPage(visitor, { ...typed, attempt, isPublic, isBound, problems })
    const question = await ask(visitor, call, { path: applicationsPath(visitor.shop.merchant) })
    if (question) return question
    const { clientId, secret, secretHash } = clientFor(needs, visitor, 'new', attempt)
    const { merchant } = visitor.shop
    const known = { clientId, merchant, name: typed.name, redirectUris: [...typed.redirectUris] }
    const data = newApplication(known, isPublic ? null : secretHash, isBound)
    const context = contextOfStaff(call, visitor)
    await needs.handle(applications, clientId, { type: 'Register', data }, context)
    await needs.caughtUp()
    const done = textsOf(visitor).applicationAdded
    const view = { at, done, secret: isPublic ? undefined : secret }
    return applicationPage(needs, visitor, findIn(visitor, clientId), view)
  }

type ApplicationCall = Call<ShopParams, undefined, ApplicationForm>

const rotating =
  (needs: ApplicationChangeNeeds, findIn: FindIn) =>
  async (
    visitor: PortalVisitor,
    { data }: ApplicationRow,
    call: ApplicationCall,
  ): Promise<PageOrReply> => {
    const { at } = call
    const { clientId } = data
    const overlap = overlapIn(fieldOf(call.body, 'overlap'))
    if (overlap === undefined) return refuse('resource_is_unknown')
    const attempt = fieldOf(call.body, 'attempt')
    const { secret, secretHash } = clientFor(needs, visitor, clientId, attempt)
    const context = contextOfStaff(call, visitor)
    await rotateClientSecret(needs)({ clientId, secretHash }, at + overlap, context)
    await needs.caughtUp()
    return applicationPage(needs, visitor, findIn(visitor, clientId), { at, secret })
  }

export const applicationChanges = (
  needs: ApplicationChangeNeeds,
  visits: Visits,
  ask: AskCode,
  findIn: FindIn,
) => {
  const rotate = rotating(needs, findIn)

  const tell = async (
    visitor: PortalVisitor,
    row: ApplicationRow,
    call: ApplicationCall,
  ): Promise<PageOrReply> => {
    const { clientId, merchant } = row.data
    const typed = publicFieldsIn(call.body)
    const problems = publicProblems(visitor, typed)
    if (hasProblems(problems))
      return applicationPage(needs, visitor, row, { at: call.at, typed: { ...typed, problems } })
    const question = await ask(visitor, call, { path: applicationPath(merchant, clientId) })
    if (question) return question
    const changes = { name: typed.name, redirectUris: [...typed.redirectUris] }
    const command = { type: 'Change', merchant, changes } as const
    await needs.handle(applications, clientId, command, contextOfStaff(call, visitor))
    return visits.go(visitor, applicationPath(merchant, clientId, '?done=saved'))
  }

  const end = async (
    visitor: PortalVisitor,
    { data: { clientId, merchant } }: ApplicationRow,
    call: ApplicationCall,
    type: 'Disable' | 'Enable' | 'Remove',
  ): Promise<PageOrReply> => {
    const command = { type, merchant } as const
    await needs.handle(applications, clientId, command, contextOfStaff(call, visitor))
    return visits.go(
      visitor,
      type === 'Remove'
        ? developersPath(merchant, 'applications?done=removed')
        : applicationPath(merchant, clientId, `?done=${type.toLowerCase()}d`),
    )
  }

  return {
    add: adding(needs, ask, findIn),
    change: async (visitor: PortalVisitor, row: ApplicationRow, call: ApplicationCall) => {
      const change = fieldOf(call.body, 'change')
      if (change === 'told') return tell(visitor, row, call)
      const { merchant, clientId } = row.data
      const question = await ask(visitor, call, { path: applicationPath(merchant, clientId) })
      if (question) return question
      if (change === 'secret') return rotate(visitor, row, call)
      if (change === 'disable') return end(visitor, row, call, 'Disable')
      if (change === 'enable') return end(visitor, row, call, 'Enable')
      return change === 'remove' ? end(visitor, row, call, 'Remove') : refuse('resource_is_unknown')
    },
  }
}
