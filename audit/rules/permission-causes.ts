import type { Causes, Given } from '../../domain/causes.ts'
import type { permission, PermissionEvent } from '../../domain/people/permission.ts'

type Command = Parameters<(typeof permission)['decide']>[0]
type State = (typeof permission)['initial']

const termsOf = ({ state, facts }: Given<PermissionEvent, State>) =>
  state.status === 'unrequested' ? [] : facts.termsOf(state.request.merchant, state.currency)

export const permissionCauses: Causes<Command, PermissionEvent, State> = {
  PermissionRequested: ({ request, payer }, { id, at, facts }) => {
    const { merchant, posId, posTid } = request
    if (facts.ridOf(merchant, posId, posTid) !== id) return 'the request is not that of its pos_tid'
    const posIsKnown = facts.posIsKnown(merchant, posId)
    const currency = facts.currencyOf(merchant)
    if (currency === undefined) return `there is no merchant ${merchant}`
    const known = { payer, posIsKnown, currency }
    return [{ type: 'RequestPermission', at, request, facts: known }]
  },
  PermissionGranted: ({ payer, permissions }, given) =>
    termsOf(given).map((terms) => {
      const answer = { payer, permissions, terms }
      return { type: 'GrantPermission', at: given.at, ...answer }
    }),
  PermissionDeclined: ({ payer }, given) =>
    termsOf(given).map((terms) => ({ type: 'DeclinePermission', at: given.at, payer, terms })),
  PermissionFailed: () => 'only a request fails because the customer is unknown, at once',
  PermissionExpired: (_, { at }) => [{ type: 'ExpirePermission', at }],
}
