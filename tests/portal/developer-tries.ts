import { applications } from '../../domain/aggregates.ts'
import type { StaffAction } from '../../domain/merchant/staff-roles.ts'
import type { PeopleService } from '../support/people-service.ts'

type Try = {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly action: StaffAction
  readonly form?: Readonly<Record<string, string>>
  readonly isEmpty?: true
}

const send = (
  path: string,
  action: StaffAction,
  form: Readonly<Record<string, string>> = {},
): Try => ({ method: 'POST', path, action, form })

const look = (path: string, action: StaffAction): Try => ({ method: 'GET', path, action })

/** The addresses of the developers' pages. */
export const developerTries: readonly Try[] = [
  look('developers', 'see_developers'),
  look('developers?add', 'change_api_users'),
  send('developers', 'change_api_users', { id: '/' }),
  look('developers/users/pos1', 'see_developers'),
  send('developers/users/pos1', 'change_api_users', { change: 'enable' }),
  look('developers/applications', 'see_developers'),
  look('developers/applications?add', 'change_applications'),
  send('developers/applications', 'change_applications'),
  look('developers/applications/tried', 'see_developers'),
  send('developers/applications/tried', 'change_applications', { change: 'enable' }),
  look('developers/callbacks', 'see_developers'),
  look('developers/callbacks?secret', 'change_callbacks'),
  send('developers/callbacks', 'change_callbacks', { change: 'test', uri: 'none' }),
  { ...look('developers/callbacks/none', 'see_developers'), isEmpty: true },
  { ...send('developers/callbacks/none', 'change_callbacks', { change: 'retry' }), isEmpty: true },
  look('developers/destinations', 'see_developers'),
  send('developers/destinations', 'change_callbacks', { change: 'add', uri: 'none' }),
  look('developers/requests', 'see_developers'),
  look('developers/sandbox', 'see_developers'),
  { ...send('developers/sandbox', 'change_api_users', { change: 'accept' }), isEmpty: true },
]

/** Registers what some of the addresses refer to. */
export const registerTried = async ({ core }: Pick<PeopleService, 'core'>): Promise<void> => {
  const known = { clientId: 'tried', merchant: 'sandbox', name: 'Tried', secretHash: null }
  const data = { ...known, redirectUris: ['https://shop.example/'] }
  const context = core.contextOf('operator', 'sandbox')
  await core.handle(applications, 'tried', { type: 'Register', data }, context)
}
