import { integrators, merchants, users } from '../domain/aggregates.ts'
import { makeSecretGuesses } from '../application/secret-guesses.ts'
import { isEnabled, type Entry } from '../domain/register.ts'
import { within } from '../domain/stream.ts'
import type { Core } from './core.ts'
import { makeFingerprints } from '../infrastructure/keys/key-fingerprints.ts'
import { contentDigest, makeSignatureCheck, type Signer } from '../infrastructure/keys/keys.ts'
import { isWithin, networkOf } from '../infrastructure/networks.ts'
import { sealAddresses } from '../infrastructure/people/sealed-addresses.ts'
import { makeSecretCheck } from '../infrastructure/people/secrets.ts'
import { openRequestLimits } from './request-limits.ts'

type MerchantEntry = typeof merchants.decider.initial
type UserEntry = typeof users.decider.initial

const dataOf = <Data>(entry: Entry<Data> | undefined) =>
  entry?.status === 'present' ? { ...entry.data, isDisabled: !isEnabled(entry) } : undefined

const userOf = (shop: MerchantEntry, user: UserEntry) => {
  if (shop.status !== 'present' || user.status !== 'present') return undefined
  const disabled = (shop.isDisabled && 'merchant') || (user.isDisabled && 'user') || undefined
  return { user: user.data, merchantNetmask: shop.data.netmask, disabled } as const
}

/** Authenticates callers: users of merchants and integrators, from the cache or the log. */
export const accessOf = (core: Core, { rsaPem }: Signer) => {
  const { find, recall, securityLog, settings } = core
  return {
    securityLog,
    admit: openRequestLimits(core),
    guardGuesses: makeSecretGuesses({ machineNow: Date.now, networkOf, securityLog }),
    verifySecret: makeSecretCheck(Date.now),
    verifySignature: makeSignatureCheck(rsaPem),
    fingerprint: makeFingerprints(),
    sealAddress: sealAddresses(core.people.vault).sealAddress,
    contentDigest,
    isWithin,
    machineNow: Date.now,
    clockToleranceMs: settings.CLOCK_TOLERANCE_SECONDS * 1000,
    recallUser: (merchant: string, id: string) => {
      const shop = recall(merchants, merchant)
      const user = recall(users, within(merchant, id))
      return shop && user && userOf(shop, user)
    },
    findUser: async (merchant: string, id: string) =>
      userOf(
        await find(merchants, merchant, 'log'),
        await find(users, within(merchant, id), 'log'),
      ),
    recallIntegrator: (id: string) => dataOf(recall(integrators, encodeURIComponent(id))),
    findIntegrator: async (id: string) =>
      dataOf(await find(integrators, encodeURIComponent(id), 'log')),
    findMerchant: async (merchant: string, asOf: 'memory' | 'log') =>
      dataOf(await find(merchants, merchant, asOf)),
  }
}

export type Access = ReturnType<typeof accessOf>
