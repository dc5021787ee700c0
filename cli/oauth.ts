import type { Command } from 'commander'
import { applications } from '../domain/aggregates.ts'
import type { Core } from '../service/core.ts'
import { fail } from '../infrastructure/failures.ts'
import { newClient } from '../infrastructure/people/tokens.ts'
import { checkName, collect, presentMerchant, hoursInMs, hoursOf } from './arguments.ts'
import { addLifeCycle } from './life-cycles.ts'
import type { WithCore } from './with-core.ts'

type ApplicationOptions = {
  readonly name: string
  readonly redirectUri: readonly string[]
  readonly public?: true
  readonly dpop?: true
}

/** Loads the check of redirect URIs. */
type RedirectUris = () => Promise<(text: string) => boolean>

const addApplication =
  (redirectUrisAllowed: RedirectUris) =>
  async (core: Core, merchant: string, options: ApplicationOptions) => {
    const { handle, contextOf } = core
    const { name, redirectUri: redirectUris, public: isPublic, dpop } = options
    await presentMerchant(core, merchant)
    checkName(name)
    const isRedirectUri = await redirectUrisAllowed()
    for (const uri of redirectUris)
      if (!isRedirectUri(uri)) return fail(`${uri} cannot be a redirect URI`)
    if (redirectUris.length === 0) return fail('give --redirect-uri')
    const { clientId, secret, secretHash: digest } = newClient()
    const secretHash = isPublic ? null : digest
    const requires = { requiresPkce: true as const, ...(dpop && { requiresDpop: true as const }) }
    const known = { clientId, merchant, name, redirectUris: [...redirectUris], secretHash }
    const data = { ...known, ...requires }
    const context = contextOf('operator', merchant)
    await handle(applications, clientId, { type: 'Register', data }, context)
    return { client_id: clientId, client_secret: isPublic ? null : secret }
  }

const rotateSecret = async (core: Core, clientId: string, { overlap }: { overlap: number }) => {
  const { handle, find, contextOf, now } = core
  const known = await find(applications, clientId, 'log')
  if (known.status !== 'present') return fail(`no application ${clientId}`)
  const { merchant, secretHash: hash } = known.data
  if (hash === null) return fail(`${clientId} is a public application: it has no secret`)
  const { secret, secretHash } = newClient()
  const until = now() + hoursInMs(overlap)
  const changes = { secretHash, previousSecret: { hash, until } }
  await handle(applications, clientId, { type: 'Change', changes }, contextOf('operator', merchant))
  return {
    client_id: clientId,
    client_secret: secret,
    old_secret_until: new Date(until).toISOString(),
  }
}

const listApplications = async (core: Core, merchant: string) => {
  await presentMerchant(core, merchant)
  await core.readModels.caughtUp()
  return core.people.applications
    .all()
    .filter(({ data }) => data.merchant === merchant)
    .map(({ data: { clientId, name, redirectUris, secretHash, requiresDpop }, isDisabled }) => ({
      client_id: clientId,
      name,
      redirect_uris: redirectUris,
      public: secretHash === null,
      dpop: requiresDpop ?? false,
      enabled: !isDisabled,
    }))
}

/** The operator's commands for the authorization server (interface 14). */
export const addOAuthCommands = (
  program: Command,
  withCore: WithCore,
  redirectUrisAllowed: RedirectUris,
): void => {
  const app = program.command('app').description('OAuth applications')
  app
    .command('add <merchant>')
    .description('register an application; its secret is printed this once')
    .requiredOption('--name <name>', 'shown to the payer')
    .option('--redirect-uri <uri>', 'where payers return to; may be repeated', collect, [])
    .option('--public', 'without a secret (an app or a page in the browser)')
    .option('--dpop', 'tokens must be bound to a key of the application (RFC 9449)')
    .action(withCore(addApplication(redirectUrisAllowed)))
  app
    .command('rotate-secret <client-id>')
    .description(
      'give an application a new secret, printed this once; the old one stays valid a while',
    )
    .option('--overlap <hours>', 'how long the old one stays valid', hoursOf, 24)
    .action(withCore(rotateSecret))
  app
    .command('list <merchant>')
    .description('list the applications of a merchant')
    .action(withCore(listApplications))
  addLifeCycle(app, withCore, {
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
  })
}
