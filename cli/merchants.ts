import { merchants, callbackSecrets } from '../domain/aggregates.ts'
import {
  changeMerchant,
  registerMerchant,
  switchMerchant,
  turnDownMerchant,
} from '../application/merchants.ts'
import { changed, type Changes } from '../domain/register.ts'
import {
  jurisdictionOf,
  newMerchant,
  waits,
  whyNotApproved,
  type MerchantData,
} from '../domain/merchant/merchant.ts'
import { isDotSegment } from '../domain/merchant/chosen-id.ts'
import { callbackUriText } from '../http/addresses.ts'
import { isCurrency } from '../domain/money/currency.ts'
import type { Core } from '../service/core.ts'
import { holderOfOrganization } from '../service/portal/shops.ts'
import { fail } from '../infrastructure/failures.ts'
import { makePngCheck } from '../infrastructure/pictures/png-client.ts'
import { idPattern, presentMerchant, contentOf, checkName } from './arguments.ts'
import { flag, group, onData, onRows, required, several, value, type ValuesOf } from './command.ts'
import { lifeCycle } from './life-cycles.ts'
import { merchantLimit } from './limits.ts'
import { secretsOfMerchants } from '../infrastructure/callbacks/signed-post.ts'
import { organizationNumber } from '../domain/merchant/organization.ts'
import { readTimeZone } from '../domain/time-zone.ts'
import { showsSomething, withoutBlanks } from '../domain/blanks.ts'
import { isNetmask } from '../infrastructure/networks.ts'

type Details = ValuesOf<typeof details> & { readonly name: string | undefined }

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
  const problem = callbackUriText.safeParse(text).error?.issues[0]
  return problem ? fail(`a callback URI, or none: ${problem.message}`) : text
}

const changesOf = (about: Details): Changes<MerchantData> => {
  const { netmask, mcc, location } = about
  checkName(about.name)
  const isNone = netmask === 'none'
  if (netmask !== undefined && !isNone && !isNetmask(netmask))
    fail(`${netmask} is neither an IPv4 or IPv6 network nor none`)
  if (mcc !== undefined && !/^\d{4}$/.test(mcc)) fail('an mcc has four digits')
  if ((about.addressLine?.length ?? 0) > 2) fail('an address has at most two lines')
  return {
    businessName: about.name,
    lookupIds: about.lookupId,
    organizationId: about.organizationId,
    jurisdiction: countryOf(about.jurisdiction, 'a jurisdiction'),
    mcc,
    netmask: isNone ? null : netmask,
    timeZone: timeZoneOf(about.timeZone),
    location: location === undefined ? undefined : locationOf(location),
    callbackUri: about.callbackUri === undefined ? undefined : callbackUriOf(about.callbackUri),
    profile: {
      addressLines: about.addressLine,
      postalCode: about.postalCode,
      country: countryOf(about.country, 'a country'),
      description: about.description,
      phoneNumber: about.phone,
      email: about.email,
      url: about.url,
    },
  }
}

const details = {
  lookupId: several('<id>', 'secondary id for integrators, may be repeated'),
  organizationId: value('<number>', 'organisation number', organizationNumber),
  jurisdiction: value(
    '<country>',
    'two letters; default: the country of the currency, if it has just one',
    withoutBlanks,
  ),
  timeZone: value('<name>', 'of the IANA database, such as Europe/Oslo; default: UTC'),
  mcc: value('<code>', 'merchant category code, four digits', withoutBlanks),
  netmask: value('<network>', 'CIDR network that requests must come from, or none', withoutBlanks),
  location: value('<lat,lon[,accuracy]>', 'degrees, and meters', withoutBlanks),
  addressLine: several('<line>', 'at most two'),
  postalCode: value('<code>', ''),
  country: value('<country>', 'two letters', withoutBlanks),
  description: value('<text>', ''),
  phone: value('<number>', ''),
  email: value('<address>', ''),
  url: value('<url>', ''),
  callbackUri: value('<uri>', 'gets settlement_made, or none'),
}

const largestLogo = 1_000_000

const printed = ({ id, businessName, currency, lookupIds }: MerchantData) => ({
  id,
  business_name: businessName,
  currency,
  lookup_ids: lookupIds,
})

const printedWhole = (merchant: MerchantData) => {
  const { profile, ...rest } = merchant
  return {
    ...printed(merchant),
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
  { organizationId, lookupId = [] }: Pick<Details, 'organizationId' | 'lookupId'>,
): Promise<void> => {
  await core.readModels.caughtUp()
  for (const id of [organizationId ?? [], lookupId].flat()) {
    if (isDotSegment(id)) fail('an id must not be . or ..: the address of a lookup would lose it')
    const other = core.merchants.lookUpMerchant(id)?.data.id
    if (other !== undefined && other !== merchant) fail(`${id} is an id of merchant ${other}`)
  }
}

const claimNeeds = ({ handle, find, merchants }: Core) => ({
  handle,
  find,
  holderOfOrganization: holderOfOrganization({ merchants }),
})

const addMerchant = onData({
  name: 'add <id>',
  about: 'make a merchant with its default ledger and settlement account',
  options: {
    name: required('<name>', 'business name'),
    currency: required('<code>', 'ISO 4217 code'),
    ...details,
  },
  run: async (core, id, options) => {
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
    return printed(data)
  },
})

const change = async (core: Core, id: string, changes: Changes<MerchantData>) =>
  printedWhole(await changeMerchant(claimNeeds(core))(id, changes, core.contextOf('operator', id)))

const changeOne = onData({
  name: 'change <id>',
  about: 'change a merchant; options left out keep their value',
  options: { name: value('<name>', 'business name'), ...details },
  run: async (core, id, options) => {
    const changes = changesOf(options)
    await presentMerchant(core, id)
    await checkLookupIds(core, id, options)
    return change(core, id, changes)
  },
})

const list = onRows({
  name: 'list',
  about: 'list the merchants',
  run: ({ merchants: { merchants: rows, list } }) =>
    rows.all().map(({ data, ...row }) => ({
      ...printed(data),
      enabled: !row.isDisabled,
      ...(list.approvalOf(data.id).waits && { awaits_approval: true }),
    })),
})

const callbackSecret = onData({
  name: 'callback-secret <id>',
  about: 'print the secret that signs the callbacks of a merchant',
  options: {
    rotate: flag('replace it; messages are signed with the earlier one too for 24 hours'),
  },
  run: async (core, id, { rotate }) => {
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
  },
})

const setLogo = onData({
  name: 'logo <id> <file>',
  about: 'set the logo, a PNG of at most 1,000,000 bytes and 4096 × 4096 pixels',
  run: async (core, id, file) => {
    await presentMerchant(core, id)
    const content = await contentOf(file)
    if (content.byteLength > largestLogo) fail(`${file} is larger than ${largestLogo} bytes`)
    const pictures = makePngCheck()
    const problem = await pictures.problemOf(content)
    await pictures.end()
    if (problem !== null) fail(`${file}: ${problem}`)
    return change(core, id, { logo: await core.blobs.put(content) })
  },
})

const approve = onData({
  name: 'approve <id>',
  about: 'let a merchant that has signed up by itself take payments',
  run: async (core, id) => {
    await presentMerchant(core, id)
    const why = whyNotApproved(await core.find(merchants, id, 'log'))
    if (why === 'has_not_signed_up') fail(`${id} has not signed up by itself`)
    if (why === 'was_disabled') fail(`${id} was disabled: use daybook merchant enable`)
    const context = core.contextOf('operator', id)
    return { id, enabled: await switchMerchant(claimNeeds(core))(id, 'Approve', context) }
  },
})

const reject = onData({
  name: 'reject <id>',
  about: 'turn down a merchant that has signed up by itself; its owners read why',
  options: { reason: required('<text>', 'why, at most 500 characters') },
  run: async (core, id, { reason }) => {
    await presentMerchant(core, id)
    if (!showsSomething(reason) || reason.length > 500) fail('a reason has 1 to 500 characters')
    if (!waits(await core.find(merchants, id, 'log'))) fail(`${id} does not wait for approval`)
    await turnDownMerchant(core)(id, reason, core.contextOf('operator', id))
    return { id, enabled: false, reason }
  },
})

/** The operator's commands for merchants (interface 14). */
export const merchantCommands = group('merchant', 'merchants', [
  addMerchant,
  changeOne,
  list,
  callbackSecret,
  setLogo,
  approve,
  reject,
  ...lifeCycle({
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
  }),
  merchantLimit,
])
