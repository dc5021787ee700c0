import type { Causes } from '../../domain/causes.ts'
import type { EventsOf } from '../../domain/decider.ts'
import type { grant, grantEvents } from '../../domain/people/grant.ts'

type Command = Parameters<(typeof grant)['decide']>[0]
type State = (typeof grant)['initial']

export const grantCauses: Causes<Command, EventsOf<typeof grantEvents>, State> = {
  GrantRefreshed: ({ generation, scope, tokens }, { id, at, facts }) => {
    const granted = facts.grantedBy(id)
    if (!granted) return 'nothing was granted there'
    const asked = { granted, presented: generation - 1, scope, next: tokens }
    return [{ type: 'RefreshGrant', at, ...asked }]
  },
  GrantRevoked: ({ by }) => [{ type: 'RevokeGrant', by }],
}
