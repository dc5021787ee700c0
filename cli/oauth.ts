import { rotateClientSecret } from '../application/tokens.ts'
import { applications } from '../domain/aggregates.ts'
import {
  applicationProblem,
  longestName,
  mostRedirectUris,
  newApplication,
} from '../domain/people/application.ts'
import { fail } from '../infrastructure/failures.ts'
import { newClient } from '../infrastructure/people/id-tokens.ts'
import { hoursInMs } from '../domain/time.ts'
import { checkName, presentMerchant, hoursOf } from './arguments.ts'
import { flag, group, onData, preset, required, several } from './command.ts'
import { lifeCycle, listOf } from './life-cycles.ts'

const addApplication = onData({
  name: 'add <merchant>',
  about: 'register an application; its secret is printed this once',
  options: {
    name: required('<name>', 'shown to the payer'),
    redirectUri: several('<uri>', 'where payers return to; may be repeated'),
    public: flag('without a secret (an app or a page in the browser)'),
    dpop: flag('tokens must be bound to a key of the application (RFC 9449)'),
  },
  run: async (core, merchant, { name, redirectUri: redirectUris = [], public: isPublic, dpop }) => {
    await presentMerchant(core, merchant)
    checkName(name)
    const isSandbox = core.settings.MODE === 'sandbox'
    const problem = applicationProblem({ name, redirectUris }, isSandbox)
    if (typeof problem === 'object') fail(`${problem.uri} cannot be a redirect URI`)
    if (redirectUris.length === 0) fail('give --redirect-uri')
    if (problem === 'uris') fail(`an application has at most ${mostRedirectUris} redirect URIs`)
    if (problem === 'name') fail(`a name has at most ${longestName} characters`)
    const { clientId, secret, secretHash } = newClient()
    const known = { clientId, merchant, name, redirectUris: [...redirectUris] }
    const data = newApplication(known, isPublic ? null : secretHash, dpop ?? false)
    const context = core.contextOf('operator', merchant)
    await core.handle(applications, clientId, { type: 'Register', data }, context)
    return { client_id: clientId, client_secret: isPublic ? null : secret }
  },
})

const rotateSecret = onData({
  name: 'rotate-secret <client-id>',
  about: 'give an application a new secret, printed this once; the old one stays valid a while',
  options: { overlap: preset('<hours>', 'how long the old one stays valid', 24, hoursOf) },
  run: async (core, clientId, { overlap }) => {
    const known = await core.find(applications, clientId, 'log')
    if (known.status !== 'present') return fail(`no application ${clientId}`)
    const { merchant, secretHash } = known.data
    if (secretHash === null) return fail(`${clientId} is a public application: it has no secret`)
    const client = newClient()
    const context = core.contextOf('operator', merchant)
    const until = context.at + hoursInMs(overlap)
    await rotateClientSecret(core)({ ...client, clientId }, until, context)
    return {
      client_id: clientId,
      client_secret: client.secret,
      old_secret_until: new Date(until).toISOString(),
    }
  },
})

const listApplications = listOf(
  'list the applications of a merchant',
  (core) => core.people.applications,
  ({ data: { clientId, name, redirectUris, secretHash, requiresDpop }, isDisabled }) => ({
    client_id: clientId,
    name,
    redirect_uris: redirectUris,
    public: secretHash === null,
    dpop: requiresDpop ?? false,
    enabled: !isDisabled,
  }),
)

/** The operator's commands for the authorization server (interface 14). */
export const applicationCommands = group('app', 'OAuth applications', [
  addApplication,
  rotateSecret,
  listApplications,
  ...lifeCycle({
    one: 'application',
    named: '<client-id>',
    aggregate: applications,
    keyOf: (clientId) => clientId,
    merchantOf: ({ merchant }) => merchant,
    about: {
      disable: 'refuse an application and its tokens until it is enabled again',
      enable: 'let a disabled application in again',
      remove: 'end an application, with all its tokens',
    },
  }),
])
