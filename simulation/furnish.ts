import { createPrivateKey, createPublicKey } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { registerPayer } from '../application/register-payer.ts'
import { noFees } from '../domain/accounting/fees.ts'
import { feeSchedules, pointsOfSale, users } from '../domain/aggregates.ts'
import { within } from '../domain/stream.ts'
import { hashSecret } from '../infrastructure/people/secrets.ts'
import type { Settings } from '../infrastructure/settings.ts'
import type { Core } from '../service/core.ts'
import { operatorHere } from '../harness/operator.ts'
import { registerMerchant } from '../harness/register-merchant.ts'
import { onlooker, people } from './names.ts'

export const shops = ['shop-a', 'shop-b'] as const
export type Shop = (typeof shops)[number]
export const isShop = (merchant: string): merchant is Shop =>
  shops.some((shop) => shop === merchant)

/** A merchant that sells by payment links alone. */
export const stall = 'stall'
/** Whose messages the oracle reads. */
export type Seller = Shop | typeof stall

export const timeZones = {
  'shop-a': 'UTC',
  'shop-b': 'Europe/Oslo',
  [stall]: 'Europe/Oslo',
} as const satisfies Record<Seller, string>
export const bankAccount = 'NO9386011117947'
/** Where payers' money comes in. */
export const fundingAccount = 'NO8330001234567'
export const bankProfile = 'bank-profile.json'
const profile = {
  funding: {
    since: '2026-01-01',
    due_days: 0,
    accounts: [{ account: fundingAccount, batch_prefix: 'DAY-', withholds: '0.01' }],
  },
}

/** What the operator has agreed with the bank; read when the service opens. */
export const writeBankProfile = (folder: string): void =>
  writeFileSync(join(folder, bankProfile), JSON.stringify(profile))

export const secret = 'a secret of the simulation'
export const keyFile = 'sandbox-admin-key.pem'

/** The core of the service as a command has it: all that it does is done by an account. */
export const ofOperator = (core: Core, account: string): Core => ({
  ...core,
  contextOf: (actor, merchant) => ({
    ...core.contextOf(actor, merchant),
    ...(actor === 'operator' && { operator: { account, machine: 'office' } }),
  }),
})

/** In øre; the other shop pays none. */
const fees = { ...noFees, from: 0, currency: 'NOK', transactionFixed: 180, settlementFixed: 1_500 }

type Opened = { readonly core: Core; readonly settings: Settings }

/** People who own the sandbox's shop, and work for the operator. */
const addPeople = async ({ core, settings }: Opened): Promise<void> => {
  const { handle, find, vault } = core
  for (const [name, { phone, pin, secret: codeSecret }] of Object.entries(people)) {
    const about = { name, isPhoneVerified: true, email: null, isEmailVerified: false }
    const rest = { address: null, shippingAddress: null, nationalId: null }
    const profile = { ...about, ...rest, phone: phone.slice(1) }
    const credentials = { pinHash: await hashSecret(pin), codeSecret }
    const register = registerPayer({ handle, find, people: vault })
    await register({ profile, credentials, requestedId: name }, core.contextOf('operator'))
    if (name === onlooker) continue
    const run = operatorHere(settings, ofOperator(core, 'ann'))
    await run('staff', 'add', 'sandbox', phone, '--role', 'owner')
    await run('operator', 'add', phone, '--role', name === 'carol' ? 'admin' : 'finance')
  }
}

export const furnish = async (opened: Opened, folder: string): Promise<void> => {
  const { core } = opened
  const key = createPrivateKey(readFileSync(join(folder, keyFile)))
  const publicKey = createPublicKey(key).export({ type: 'spki', format: 'pem' }).toString()
  writeFileSync(join(folder, 'admin.pub'), publicKey)
  await addPeople(opened)
  const secretHash = await hashSecret(secret)
  for (const merchant of [...shops, stall] as const) {
    const callbackUri = `https://${merchant}.example/settled`
    await registerMerchant(
      core,
      { id: merchant, callbackUri, timeZone: timeZones[merchant] },
      'pos1',
      secretHash,
    )
    const of = core.contextOf('operator', merchant)
    const data = { merchant, id: 'admin', roles: ['superuser' as const], netmask: null }
    const admin = { ...data, secretHash: null, publicKey }
    await core.handle(users, within(merchant, 'admin'), { type: 'Register', data: admin }, of)
    const pos = { merchant, id: 'till', name: 'Till', type: 'store' as const, location: null }
    await core.handle(pointsOfSale, within(merchant, 'till'), { type: 'Register', data: pos }, of)
    if (merchant === 'shop-a')
      await core.handle(feeSchedules, merchant, { type: 'ScheduleFees', schedule: fees }, of)
  }
  const run = operatorHere(opened.settings, ofOperator(core, 'ann'))
  await run('staff', 'add', stall, people[onlooker].phone, '--role', 'owner')
}
