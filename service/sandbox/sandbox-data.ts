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
import type { MaybePromise } from '../../application/maybe-promise.ts'
import { noFees } from '../../domain/accounting/fees.ts'
import { defaultAccount, impliedAccount } from '../../domain/accounting/settlement-account.ts'
import { newMerchant } from '../../domain/merchant/merchant.ts'
import type { Profile } from '../../domain/people/profile.ts'
import { ignoreRefusal } from '../../domain/refusal.ts'
import { within } from '../../domain/stream.ts'
import type { Core } from '../core.ts'
import { keyInFile, readPublicKey } from '../../infrastructure/keys/keys.ts'
import { hashSecret } from '../../infrastructure/people/secrets.ts'

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

const hashes = new Map<string, Promise<string>>()

/** The slow hash of a secret that is public, made once in a process. */
const hashOfPublic = (text: string): Promise<string> => {
  const hash = hashes.get(text) ?? hashSecret(text)
  hashes.set(text, hash)
  return hash
}

/** Creates missing sandbox data (interface 15); returns instructions for its use. */
export const makeSandboxData = async (core: Core, dataDir: string): Promise<string> => {
  const { handle, find, contextOf, vault: people } = core
  const merchant = sandboxMerchant
  const context = contextOf('daybook', merchant)
  const keyFile = join(dataDir, 'sandbox-admin-key.pem')
  const isAbsent = async (entry: MaybePromise<{ readonly status: string }>) =>
    (await entry).status === 'absent'
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

  if (await isAbsent(find(merchants, merchant))) {
    const data = newMerchant({
      id: merchant,
      businessName: 'Sandbox Shop',
      currency: 'NOK',
      lookupIds: [],
      netmask: null,
      jurisdiction: 'NO',
    })
    await register(merchants, merchant, { type: 'Register', data }, context)
  }
  const schedule = { ...noFees, from: 0, currency: 'NOK', ...sandboxFees }
  if ((await find(feeSchedules, merchant)).length === 0)
    await register(feeSchedules, merchant, { type: 'ScheduleFees', schedule }, context)
  const account = within(merchant, defaultAccount)
  if (await isAbsent(find(settlementAccounts, account))) {
    const data = { ...impliedAccount(merchant, 'NOK'), payoutAccount: sandboxAccount }
    await register(settlementAccounts, account, { type: 'Register', data }, context)
  }
  const userData = { merchant, netmask: null, secretHash: null, publicKey: null }
  if (secretHash !== null) {
    const data = { ...userData, id: 'pos1', roles: ['user' as const], secretHash }
    await register(users, within(merchant, 'pos1'), { type: 'Register', data }, context)
  }
  if (await isAbsent(find(users, within(merchant, 'admin')))) {
    const data = { ...userData, id: 'admin', roles: ['superuser' as const], publicKey }
    await register(users, within(merchant, 'admin'), { type: 'Register', data }, context)
  }
  if (await isAbsent(find(pointsOfSale, within(merchant, 'till-1')))) {
    const data = { merchant, id: 'till-1', name: 'Till 1', type: 'store' as const, location: null }
    await register(pointsOfSale, within(merchant, 'till-1'), { type: 'Register', data }, context)
  }
  for (const [id, pinHash] of [
    ['alice', alice],
    ['bob', bob],
  ] as const)
    if (pinHash !== null) {
      const credentials = { pinHash, codeSecret: sandboxPayers[id].codeSecret }
      const add = registerPayer({ handle, find, people })
      const payer = { profile: profileOf(id), credentials, wantedId: id }
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
