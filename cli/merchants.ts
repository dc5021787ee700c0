import type { Command } from 'commander'
import { merchants, callbackSecrets } from '../domain/aggregates.ts'
import { changeMerchant, registerMerchant, switchMerchant } from '../application/merchants.ts'
import { changed, type Changes } from '../domain/register.ts'
import {
  jurisdictionOf,
  newMerchant,
  whyNotApproved,
  type MerchantData,
} from '../domain/merchant/merchant.ts'
import { isDotSegment } from '../domain/merchant/chosen-id.ts'
import { isCurrency } from '../domain/money/currency.ts'
import type { Core } from '../service/core.ts'
import { holderOfOrganization } from '../service/portal/shops.ts'
import { fail } from '../infrastructure/failures.ts'
import { makePngCheck } from '../infrastructure/pictures/png-client.ts'
import { idPattern, presentMerchant, contentOf, checkName, collect } from './arguments.ts'
import { addLifeCycle } from './life-cycles.ts'
import type { WithCore } from './with-core.ts'
import { secretsOfMerchants } from '../infrastructure/callbacks/merchant-secrets.ts'
import { organizationNumber } from '../domain/merchant/organization.ts'
import { readTimeZone } from '../domain/time-zone.ts'
import { withoutBlanks } from '../domain/blanks.ts'
import { isNetmask } from '../infrastructure/networks.ts'

/** Merchant data entered by the operator. */
export type Details = {
  readonly name?: string
  readonly lookupId?: readonly string[]
  readonly organizationId?: string
  readonly jurisdiction?: string
  readonly mcc?: string
  readonly netmask?: string
  readonly timeZone?: string
  readonly location?: string
  readonly addressLine?: readonly string[]
  readonly postalCode?: string
  readonly country?: string
  readonly description?: string
  readonly phone?: string
  readonly email?: string
  readonly url?: string
  readonly callbackUri?: string
}

const countryOf = (text: string | undefined, option: string): string | undefined =>
  text === undefined || /^[a-z]{2}$/i.test(text)
    ? text?.toUpperCase()
    : fail(`${option} is a country of two letters`)

const timeZoneOf = (text: string | undefined): string | undefined =>
  text === undefined
    ? undefined
    : (readTimeZone(text) ??
      fail(`${text} is not a time zone of the IANA database, such as Europe/Oslo`))

const locationOf = (text: string): MerchantData['location'] => {
  const [latitude = NaN, longitude = NaN, accuracy = null, ...rest] = text.split(',').map(Number)
  const isPlace = Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180 && rest.length === 0
  if (!isPlace || (accuracy !== null && !(accuracy >= 0)))
    return fail('a location is <latitude>,<longitude>[,<accuracy in meters>]')
  return { latitude, longitude, accuracy }
}

/** Null for none. */
const callbackUriOf = (text: string): string | null => {
  if (text === 'none') return null
  const isAddress = /^https?:\/\/[^/?#]/i.test(text) && URL.canParse(text)
  return isAddress ? text : fail('a callback URI is an http or https URL, or none')
}

export const changesOf = (given: Details): Changes<MerchantData> => {
  const { netmask, mcc, location } = given
  checkName(given.name)
  const isNone = netmask === 'none'
  if (netmask !== undefined && !isNone && !isNetmask(netmask))
    fail(`${netmask} is neither an IPv4 or IPv6 network nor none`)
  if (mcc !== undefined && !/^\d{4}$/.test(mcc)) fail('an mcc has four digits')
  if ((given.addressLine?.length ?? 0) > 2) fail('an address has at most two lines')
  return {
    businessName: given.name,
    lookupIds: given.lookupId,
    organizationId: given.organizationId,
    jurisdiction: countryOf(given.jurisdiction, 'a jurisdiction'),
    mcc,
    netmask: isNone ? null : netmask,
    timeZone: timeZoneOf(given.timeZone),
    location: location === undefined ? undefined : locationOf(location),
    callbackUri: given.callbackUri === undefined ? undefined : callbackUriOf(given.callbackUri),
    profile: {
      addressLines: given.addressLine,
      postalCode: given.postalCode,
      country: countryOf(given.country, 'a country'),
      description: given.description,
      phoneNumber: given.phone,
      email: given.email,
      url: given.url,
    },
  }
}

export const detailOptions = (command: Command): Command =>
  command
    .option('--lookup-id <id>', 'secondary id for integrators, may be repeated', collect)
    .option('--organization-id <number>', 'organisation number', organizationNumber)
    .option(
      '--jurisdiction <country>',
      'two letters; default: the country of the currency, if it has just one',
      withoutBlanks,
    )
    .option('--time-zone <name>', 'of the IANA database, such as Europe/Oslo; default: UTC')
    .option('--mcc <code>', 'merchant category code, four digits', withoutBlanks)
    .option(
      '--netmask <network>',
      'CIDR network that requests must come from, or none',
      withoutBlanks,
    )
    .option('--location <lat,lon[,accuracy]>', 'degrees, and meters', withoutBlanks)
    .option('--address-line <line>', 'at most two', collect)
    .option('--postal-code <code>')
    .option('--country <country>', 'two letters', withoutBlanks)
    .option('--description <text>')
    .option('--phone <number>')
    .option('--email <address>')
    .option('--url <url>')
    .option('--callback-uri <uri>', 'gets settlement_made, or none')

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
  await registerMerchant(claimNeeds(core))(data, core.contextOf('operator', id))
  return shown(data)
}

const change = async (core: Core, id: string, changes: Changes<MerchantData>) =>
  shownWhole(await changeMerchant(claimNeeds(core))(id, changes, core.contextOf('operator', id)))

const changeOf = async (core: Core, id: string, options: Details) => {
  const changes = changesOf(options)
  await presentMerchant(core, id)
  await checkLookupIds(core, id, options)
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
  await presentMerchant(core, id)
  const why = whyNotApproved(await core.find(merchants, id, 'log'))
  if (why === 'has_not_signed_up') fail(`${id} has not signed up by itself`)
  if (why === 'was_disabled') fail(`${id} was disabled: use daybook merchant enable`)
  const context = core.contextOf('operator', id)
  return { id, enabled: await switchMerchant(claimNeeds(core))(id, 'Approve', context) }
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
  ).action(withCore(changeOf))
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
    turn: (core) => switchMerchant(claimNeeds(core)),
    about: {
      disable: 'refuse all requests of a merchant, and what payers accept for it; payouts go on',
      enable: 'let a disabled merchant in again',
    },
  })
}
