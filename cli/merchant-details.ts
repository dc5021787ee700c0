import type { Command } from 'commander'
import type { Changes } from '../domain/changes.ts'
import type { MerchantData } from '../domain/merchant/merchant.ts'
import { organizationNumber } from '../domain/merchant/organization.ts'
import { readTimeZone } from '../domain/time-zone.ts'
import { withoutBlanks } from '../domain/blanks.ts'
import { fail } from '../infrastructure/failures.ts'
import { isNetmask } from '../infrastructure/networks.ts'
import { checkName, collect } from './arguments.ts'

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
