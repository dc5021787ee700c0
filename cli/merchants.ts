import type { Command } from 'commander'
import { merchants, callbackSecrets } from '../domain/aggregates.ts'
import { claimAgain, claimOrganization } from '../application/claim-organization.ts'
import { changed, type Changes } from '../domain/changes.ts'
import {
  jurisdictionOf,
  newMerchant,
  waits,
  type MerchantData,
} from '../domain/merchant/merchant.ts'
import { isDotSegment } from '../domain/merchant/chosen-id.ts'
import { isDisabled, isEnabled } from '../domain/register.ts'
import { isCurrency } from '../domain/money/currency.ts'
import type { Core } from '../service/core.ts'
import { holderOfOrganization } from '../service/portal/shops.ts'
import { fail } from '../infrastructure/failures.ts'
import { makePngCheck } from '../infrastructure/pictures/png-client.ts'
import { idPattern, presentMerchant } from './arguments.ts'
import { contentOf } from './files.ts'
import { addLifeCycle } from './life-cycles.ts'
import { changesOf, detailOptions, type Details } from './merchant-details.ts'
import type { WithCore } from './with-core.ts'
import { secretsOfMerchants } from '../infrastructure/callbacks/merchant-secrets.ts'

const callbackSecret = async (
  core: Core,
  id: string,
  { rotate }: { readonly rotate?: true },
): Promise<object> => {
  await presentMerchant(core, id)
  const { handle, find, derive, contextOf, now } = core
  const command = { type: 'RotateCallbackSecret', at: now() } as const
  if (rotate) await handle(callbackSecrets, id, command, contextOf('operator', id))
  const [current, ...earlier] = await secretsOfMerchants({ find, derive })(id, now())
  return {
    merchant: id,
    secret: current?.secret,
    earlier: earlier.map(({ secret, validUntil }) => ({
      secret,
      valid_until: new Date(validUntil ?? 0).toISOString(),
    })),
  }
}

const addCallbackSecretCommand = (merchant: Command, withCore: WithCore): void => {
  merchant
    .command('callback-secret <id>')
    .description('print the secret that signs the callbacks of a merchant')
    .option('--rotate', 'replace it; messages are signed with the earlier one too for 24 hours')
    .action(withCore(callbackSecret))
}

const largestLogo = 1_000_000

const shown = ({ id, businessName, currency, lookupIds }: MerchantData) => ({
  id,
  business_name: businessName,
  currency,
  lookup_ids: lookupIds,
})

const shownWhole = (merchant: MerchantData) => {
  const { profile, ...rest } = merchant
  return {
    ...shown(merchant),
    organization_id: rest.organizationId,
    jurisdiction: rest.jurisdiction,
    mcc: rest.mcc,
    netmask: rest.netmask,
    time_zone: rest.timeZone,
    location: rest.location,
    description: profile.description,
    phone: profile.phoneNumber,
    email: profile.email,
    url: profile.url,
    callback_uri: rest.callbackUri,
    address: [...profile.addressLines, profile.postalCode, profile.country].filter(Boolean),
    logo: rest.logo,
  }
}

/** Secondary ids must be unique. */
const checkLookupIds = async (
  core: Core,
  merchant: string,
  { organizationId, lookupId = [] }: Details,
): Promise<void> => {
  await core.readModels.caughtUp()
  for (const id of [organizationId ?? [], lookupId].flat()) {
    if (isDotSegment(id)) fail('an id must not be . or ..: the address of a lookup would lose it')
    const other = core.merchants.lookUpMerchant(id)?.data.id
    if (other !== undefined && other !== merchant) fail(`${id} is an id of merchant ${other}`)
  }
}

const claimNeeds = (core: Core) => ({ ...core, holderOfOrganization: holderOfOrganization(core) })

/** So that nobody signs up with it. */
const claimNumber = async (core: Core, id: string, { organizationId }: Details): Promise<void> => {
  if (organizationId === undefined || organizationId === '') return
  await claimOrganization(claimNeeds(core))(id, organizationId, core.contextOf('operator', id))
}

const addMerchant = async (
  core: Core,
  id: string,
  options: Details & { readonly name: string; readonly currency: string },
) => {
  const currency = options.currency.toUpperCase()
  if (!idPattern.test(id)) fail('a merchant id has letters, digits, _ and -, at most 64')
  if (!isCurrency(currency)) fail(`${currency} must be a current ISO 4217 code`)
  const fresh = newMerchant({
    id,
    businessName: options.name,
    currency,
    lookupIds: [],
    netmask: null,
    jurisdiction: jurisdictionOf(currency),
  })
  const data = changed(fresh, changesOf(options))
  await checkLookupIds(core, id, options)
  const context = core.contextOf('operator', id)
  await claimNumber(core, id, options)
  await core.handle(merchants, id, { type: 'Register', data }, context)
  return shown(data)
}

const change = async (core: Core, id: string, changes: Changes<MerchantData>) => {
  await presentMerchant(core, id)
  await core.handle(merchants, id, { type: 'Change', changes }, core.contextOf('operator', id))
  return shownWhole(await presentMerchant(core, id))
}

const changeMerchant = async (core: Core, id: string, options: Details) => {
  const changes = changesOf(options)
  await presentMerchant(core, id)
  await checkLookupIds(core, id, options)
  await claimNumber(core, id, options)
  return change(core, id, changes)
}

const setLogo = async (core: Core, id: string, file: string) => {
  await presentMerchant(core, id)
  const content = await contentOf(file)
  if (content.byteLength > largestLogo) fail(`${file} is larger than ${largestLogo} bytes`)
  const pictures = makePngCheck()
  const problem = await pictures.problemOf(content)
  await pictures.end()
  if (problem !== null) fail(`${file}: ${problem}`)
  return change(core, id, { logo: await core.blobs.put(content) })
}

const approve = async (core: Core, id: string) => {
  if (!(await presentMerchant(core, id)).hasSignedUp) fail(`${id} has not signed up by itself`)
  const entry = await core.find(merchants, id, 'log')
  if (isDisabled(entry) && !waits(entry)) fail(`${id} was disabled: use daybook merchant enable`)
  const context = core.contextOf('operator', id)
  const { state } = await core.handle(merchants, id, { type: 'Approve' }, context)
  return { id, enabled: isEnabled(state) }
}

/** The operator's commands for merchants (interface 14). */
export const addMerchantCommands = (program: Command, withCore: WithCore): void => {
  const merchant = program.command('merchant').description('merchants')
  detailOptions(
    merchant
      .command('add <id>')
      .description('make a merchant with its default ledger and settlement account')
      .requiredOption('--name <name>', 'business name')
      .requiredOption('--currency <code>', 'ISO 4217 code'),
  ).action(withCore(addMerchant))
  detailOptions(
    merchant
      .command('change <id>')
      .description('change a merchant; options left out keep their value')
      .option('--name <name>', 'business name'),
  ).action(withCore(changeMerchant))
  merchant
    .command('list')
    .description('list the merchants')
    .action(
      withCore(async ({ merchants: { merchants: rows, list }, readModels }) => {
        await readModels.caughtUp()
        return rows.all().map(({ data, ...row }) => ({
          ...shown(data),
          enabled: !row.isDisabled,
          ...(list.waits(data.id) && { awaits_approval: true }),
        }))
      }),
    )
  addCallbackSecretCommand(merchant, withCore)
  merchant
    .command('logo <id> <file>')
    .description('set the logo, a PNG of at most 1,000,000 bytes and 4096 × 4096 pixels')
    .action(withCore(setLogo))
  merchant
    .command('approve <id>')
    .description('let a merchant that has signed up by itself take payments')
    .action(withCore(approve))
  addLifeCycle(merchant, withCore, {
    one: 'merchant',
    named: '<id>',
    aggregate: merchants,
    keyOf: (id) => id,
    merchantOf: ({ id }) => id,
    beforeEnabling: (core, id, context) => claimAgain(claimNeeds(core))(id, context),
    about: {
      disable: 'refuse all requests of a merchant, and what payers accept for it; payouts go on',
      enable: 'let a disabled merchant in again',
    },
  })
}
