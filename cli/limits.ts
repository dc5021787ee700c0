import { requestLimits, users } from '../domain/aggregates.ts'
import { mostRequests } from '../domain/merchant/registers.ts'
import { within } from '../domain/stream.ts'
import { fail } from '../infrastructure/failures.ts'
import type { Core } from '../service/core.ts'
import { presentMerchant } from './arguments.ts'
import { flag, onData, value } from './command.ts'
import { put } from './life-cycles.ts'

const countOf = (text: string): number => {
  const count = /^\d{1,7}$/.test(text) ? Number(text) : 0
  return count >= 1 && count <= mostRequests
    ? count
    : fail(`${text} must be a whole number from 1 to ${mostRequests}`)
}

const options = {
  perSecond: value('<count>', 'requests a second, in the long run', countOf),
  burst: value('<count>', 'requests at once after a pause; ten seconds of them', countOf),
  default: flag('take the limit away: that of the settings counts'),
}

type Chosen = {
  readonly perSecond: number | undefined
  readonly burst: number | undefined
  readonly default: boolean | undefined
}

/** Only prints if there are no options. */
const setLimit = async (
  core: Core,
  merchant: string,
  caller: string | null,
  { perSecond, burst, default: isDefault }: Chosen,
) => {
  const key = caller === null ? merchant : within(merchant, caller)
  const context = core.contextOf('operator', merchant)
  if (isDefault) {
    const known = await core.find(requestLimits, key, 'log')
    if (known.status === 'present')
      await core.handle(requestLimits, key, { type: 'Remove' }, context)
  } else if (perSecond !== undefined) {
    const usual = Math.min(mostRequests, perSecond * 10)
    const data = { merchant, caller, perSecond, burst: burst ?? usual }
    await put(core, requestLimits, key, data, context)
  } else if (burst !== undefined) fail('--burst needs --per-second')
  const now = await core.find(requestLimits, key, 'log')
  const limit = now.status === 'present' ? now.data : undefined
  return {
    merchant,
    ...(caller !== null && { caller }),
    per_second: limit?.perSecond ?? 'as set by default',
    ...(limit && { burst: limit.burst }),
  }
}

export const merchantLimit = onData({
  name: 'limit <id>',
  about: 'set or print how much a merchant may ask',
  options,
  run: async (core, merchant, chosen) => {
    await presentMerchant(core, merchant)
    return setLimit(core, merchant, null, chosen)
  },
})

export const userLimit = onData({
  name: 'limit <merchant> <user>',
  about: 'set or print how much an API user may ask',
  options,
  run: async (core, merchant, user, chosen) => {
    const known = await core.find(users, within(merchant, user), 'log')
    if (known.status !== 'present') fail(`${merchant} has no user ${user}`)
    return setLimit(core, merchant, `user:${user}`, chosen)
  },
})
