import { integrators, merchants, users, requestLimits } from '../domain/aggregates.ts'
import { makeSecretGuesses } from '../application/secret-guesses.ts'
import { isEnabled, type Entry } from '../domain/register.ts'
import { within, streamOf } from '../domain/stream.ts'
import type { Names } from '../http/assets.ts'
import type { Core } from './core.ts'
import {
  makeFingerprints,
  contentDigest,
  makeSignatureCheck,
  type Signer,
} from '../infrastructure/keys/keys.ts'
import { isWithin, networkOf } from '../infrastructure/networks.ts'
import { sealAddresses } from '../infrastructure/people/sealing.ts'
import { makeSecretCheck, makeSecretDigests } from '../infrastructure/people/secrets.ts'
import { makeRequestLimits, type RequestLimit } from '../application/request-limits.ts'
import { wallClock } from '../application/machine.ts'

const inProduction = { merchant: 2_000, caller: 1_000 }

type Needs = Pick<Core, 'settings' | 'merchants' | 'onFolded' | 'securityLog'>

/** Undefined for no limit. */
const limitWith = (configured: number | undefined, preset: number | undefined) => {
  const perSecond = configured ?? preset
  return perSecond === undefined ? undefined : { perSecond, burst: perSecond * 10 }
}

/** The operator's limits, and the defaults from the settings. */
const openRequestLimits = ({ settings, merchants, onFolded, securityLog }: Needs) => {
  const { MODE, MERCHANT_REQUESTS_PER_SECOND, USER_REQUESTS_PER_SECOND } = settings
  const preset = MODE === 'production' ? inProduction : undefined
  const ofMerchants = limitWith(MERCHANT_REQUESTS_PER_SECOND, preset?.merchant)
  const ofCallers = limitWith(USER_REQUESTS_PER_SECOND, preset?.caller)
  const limits = makeRequestLimits({
    machineNow: wallClock,
    limitOf: (merchant, caller): RequestLimit | undefined => {
      const id = caller === null ? merchant : within(merchant, caller)
      const set = merchants.requestLimits.find(streamOf(requestLimits, id))?.data
      return set ?? (caller === null ? ofMerchants : ofCallers)
    },
    onCaller: (merchant, actor, address) =>
      securityLog.record({ type: 'authenticated', actor, merchant, address }),
  })
  const prefix = `${requestLimits.category}-`
  onFolded((streams) => {
    for (const stream of streams) if (stream.startsWith(prefix)) limits.forget()
  })
  return limits.admit
}

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
export const accessOf = (core: Core, { rsaPem }: Signer, names: Names) => {
  const { find, recall, securityLog, settings } = core
  return {
    names,
    securityLog,
    admit: openRequestLimits(core),
    guardGuesses: makeSecretGuesses({ machineNow: wallClock, networkOf, securityLog }),
    verifySecret: makeSecretCheck(wallClock),
    isDigestOf: makeSecretDigests(core.derive).isDigestOf,
    verifySignature: makeSignatureCheck(rsaPem),
    fingerprint: makeFingerprints(),
    sealAddress: sealAddresses(core.vault).sealAddress,
    contentDigest,
    isWithin,
    machineNow: wallClock,
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
