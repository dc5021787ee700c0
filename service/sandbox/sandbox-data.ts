import { createPublicKey } from 'node:crypto'
import { join } from 'node:path'
import {
  feeSchedules,
  merchants,
  payers,
  pointsOfSale,
  settlementAccounts,
  users,
} from '../../domain/aggregates.ts'
import { registerPayer } from '../../application/register-payer.ts'
import type { Caused, Context } from '../../application/handle.ts'
import { wallClock } from '../../application/machine.ts'
import { arriveAtTwin } from '../../application/twin.ts'
import type { MaybePromise } from '../../application/maybe-promise.ts'
import { noFees } from '../../domain/accounting/fees.ts'
import { defaultAccount, impliedAccount } from '../../domain/accounting/settlement-account.ts'
import { newMerchant } from '../../domain/merchant/merchant.ts'
import type { Profile } from '../../domain/people/profile.ts'
import { ignoreRefusal } from '../../domain/refusal.ts'
import { within } from '../../domain/stream.ts'
import type { Core } from '../core.ts'
import { keyInFile, readPublicKey } from '../../infrastructure/keys/keys.ts'
import type { HashPin } from '../../application/recover.ts'
import { newToken } from '../../infrastructure/people/id-tokens.ts'
import { newCodeSecret } from '../../infrastructure/people/one-time-codes.ts'
import { hashOfPublic } from '../../infrastructure/keys/slow-crypto.ts'
import { twinLinks } from '../../infrastructure/people/twin-links.ts'
import { oneTimeCodeOf } from '../people/payer-accounts.ts'
import { staffIn } from '../people/staff.ts'

/** An IBAN that nobody has. */
const sandboxAccount = 'NO9386011117947'
/** Amounts in øre. */
const sandboxFees = {
  transactionFixed: 180,
  interchangeRate: '0.01',
  permissionFixed: 200,
  settlementFixed: 1500,
}

/** Test payers; their PINs and secrets are public. */
export const sandboxPayers = {
  alice: {
    name: 'Alice Andersen',
    phone: '4799999901',
    pin: '1234',
    codeSecret: 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP',
    nationalId: '01017000027',
  },
  bob: {
    name: 'Bob Berg',
    phone: '4799999902',
    pin: '5678',
    codeSecret: 'KRSXG5CTMVRXEZLUKRSXG5CTMVRXEZLU',
    nationalId: '02027000026',
  },
} as const

const profileOf = (id: keyof typeof sandboxPayers): Profile => {
  const { name, phone, nationalId } = sandboxPayers[id]
  const address = {
    street: 'Storgata 1',
    postalCode: '0155',
    locality: 'Oslo',
    country: 'NO',
  }
  const proofs = [
    { issuer: 'bankid', method: 'bankid', date: '2026-01-15' },
    { issuer: 'daybook', method: 'passport', date: '2026-01-16' },
  ]
  return {
    name,
    phone,
    isPhoneVerified: true,
    email: `${id}@example.com`,
    isEmailVerified: true,
    address,
    shippingAddress: { name, ...address },
    nationalId: { id: nationalId, proofs },
  }
}

export const sandboxMerchant = 'sandbox'
const secret = 'sandbox-secret'

const isAbsent = async (entry: MaybePromise<{ readonly status: string }>) =>
  (await entry).status === 'absent'

const hex = (derived: string): string => Buffer.from(derived, 'base64url').toString('hex')

/** How long the use of a link is remembered: longer than it is good. */
const linkMs = 300_000

/** How staff of merchants in production come to their twins; undefined without production. */
export const twinArrivals = (core: Core, hashPin: HashPin) => {
  const { handle, find, vault: people, used, derive } = core
  const { MODE, TWIN_URL: url } = core.settings
  const links = twinLinks(core.settings, core.publicUrl)
  if (MODE !== 'sandbox' || url === undefined || !links) return undefined
  const codeOf = oneTimeCodeOf(core)
  const { findStaff, enlist } = staffIn(core)
  const makeShop = makeTestShop(core)
  const arrive = arriveAtTwin({
    handle,
    find,
    people,
    findStaff,
    enlist,
    makeTestShop: ({ merchant: id, businessName, currency, country, timeZone }, context) => {
      const shop = { id, businessName, currency, timeZone, jurisdiction: country }
      return makeShop({ ...shop, lookupIds: [], netmask: null }, context)
    },
    // No number begins with zeros.
    numberOf: (person) => {
      const digits = BigInt(`0x${hex(derive('twin', person))}`) % 10n ** 12n
      return `000${String(digits).padStart(12, '0')}`
    },
    newCredentials: async () => ({
      pinHash: await hashPin(newToken().token, undefined),
      codeSecret: newCodeSecret(),
    }),
  })
  return {
    url,
    arrive: async (token: string, browser: string, caused: Caused) => {
      const claims = await links.read(token)
      const at = wallClock()
      const isOwn = claims?.browser === browser
      if (!isOwn || !(await used.isFirst(`twin ${claims.jti}`, at, at + linkMs))) return undefined
      const payer = await arrive(claims, caused)
      return { merchant: claims.merchant, payer, code: (await codeOf(payer)) ?? '' }
    },
  }
}

type TestShop = Parameters<typeof newMerchant>[0]

/** Makes what is missing of a shop with the sandbox's fees, its account and a till. */
export const makeTestShop =
  ({ handle, find }: Pick<Core, 'handle' | 'find'>) =>
  async (shop: TestShop, context: Context): Promise<void> => {
    const { id: merchant, currency } = shop
    // Another process may be creating the same data.
    const register = (...command: Parameters<typeof handle>) =>
      handle(...command).catch(ignoreRefusal)
    if (await isAbsent(find(merchants, merchant)))
      await register(merchants, merchant, { type: 'Register', data: newMerchant(shop) }, context)
    const schedule = { ...noFees, from: 0, currency, ...sandboxFees }
    if ((await find(feeSchedules, merchant)).length === 0)
      await register(feeSchedules, merchant, { type: 'ScheduleFees', schedule }, context)
    const account = within(merchant, defaultAccount)
    if (await isAbsent(find(settlementAccounts, account))) {
      const data = { ...impliedAccount(merchant, currency), payoutAccount: sandboxAccount }
      await register(settlementAccounts, account, { type: 'Register', data }, context)
    }
    const till = within(merchant, 'till-1')
    if (await isAbsent(find(pointsOfSale, till))) {
      const about = { id: 'till-1', name: 'Till 1', type: 'store' as const, location: null }
      const data = { merchant, ...about }
      await register(pointsOfSale, till, { type: 'Register', data }, context)
    }
  }

/** Creates missing sandbox data (interface 15); returns instructions for its use. */
export const makeSandboxData = async (core: Core, dataDir: string): Promise<string> => {
  const { handle, find, contextOf, vault: people } = core
  const merchant = sandboxMerchant
  const context = contextOf('daybook', merchant)
  const keyFile = join(dataDir, 'sandbox-admin-key.pem')
  const hashFor = async (entry: MaybePromise<{ readonly status: string }>, text: string) =>
    (await isAbsent(entry)) ? hashOfPublic(text) : null
  // These take long, and run on the thread pool.
  const [key, secretHash, alice, bob] = await Promise.all([
    keyInFile(keyFile, 'rsa'),
    hashFor(find(users, within(merchant, 'pos1')), secret),
    hashFor(find(payers, 'alice'), sandboxPayers.alice.pin),
    hashFor(find(payers, 'bob'), sandboxPayers.bob.pin),
  ])
  const publicKey =
    readPublicKey(createPublicKey(key).export({ type: 'spki', format: 'pem' }).toString()) ?? null
  // Another process may be creating the same data, with another salt.
  const register = (...command: Parameters<typeof handle>) =>
    handle(...command).catch(ignoreRefusal)

  const shop = { id: merchant, businessName: 'Sandbox Shop', currency: 'NOK', jurisdiction: 'NO' }
  await makeTestShop(core)({ ...shop, lookupIds: [], netmask: null }, context)
  const userData = { merchant, netmask: null, secretHash: null, publicKey: null }
  if (secretHash !== null) {
    const data = { ...userData, id: 'pos1', roles: ['user' as const], secretHash }
    await register(users, within(merchant, 'pos1'), { type: 'Register', data }, context)
  }
  if (await isAbsent(find(users, within(merchant, 'admin')))) {
    const data = { ...userData, id: 'admin', roles: ['superuser' as const], publicKey }
    await register(users, within(merchant, 'admin'), { type: 'Register', data }, context)
  }
  for (const [id, pinHash] of [
    ['alice', alice],
    ['bob', bob],
  ] as const)
    if (pinHash !== null) {
      const credentials = { pinHash, codeSecret: sandboxPayers[id].codeSecret }
      const add = registerPayer({ handle, find, people })
      const payer = { profile: profileOf(id), credentials, requestedId: id }
      await add(payer, contextOf('daybook')).catch(ignoreRefusal)
    }
  const admin = await find(users, within(merchant, 'admin'))
  const isItsKey = admin.status === 'present' && admin.data.publicKey === publicKey
  return [
    `sandbox: merchant ${merchant}, POS till-1`,
    `sandbox: user pos1 with Authorization: SECRET ${secret}`,
    isItsKey
      ? `sandbox: superuser admin signs with the key in ${keyFile}`
      : 'sandbox: superuser admin has a key that is not in this DATA_DIR',
    ...Object.entries(sandboxPayers).map(
      ([id, { phone, pin, codeSecret }]) =>
        `sandbox: payer ${id} +${phone}, PIN ${pin}, TOTP secret ${codeSecret}`,
    ),
    'sandbox: GET /sandbox/v1/payer/alice/code/ gives the one-time code of a payer',
    'sandbox: bob is good for up to 1000.00',
    'sandbox: fees are 1.80 for a capture, 1 % on credit, 2.00 and VAT for a permission, 15.00 ' +
      'for a settlement',
  ].join('\n')
}
