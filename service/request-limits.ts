import { requestLimits } from '../domain/aggregates.ts'
import { makeRequestLimits, type RequestLimit } from '../application/request-limits.ts'
import { streamOf, within } from '../domain/stream.ts'
import type { Core } from './core.ts'

const inProduction = { merchant: 2_000, caller: 1_000 }

type Needs = Pick<Core, 'settings' | 'merchants' | 'onFolded' | 'securityLog'>

/** Undefined for no limit. */
const limitWith = (given: number | undefined, preset: number | undefined) => {
  const perSecond = given ?? preset
  return perSecond === undefined ? undefined : { perSecond, burst: perSecond * 10 }
}

/** The operator's limits, and the defaults from the settings. */
export const openRequestLimits = ({ settings, merchants, onFolded, securityLog }: Needs) => {
  const { MODE, MERCHANT_REQUESTS_PER_SECOND, USER_REQUESTS_PER_SECOND } = settings
  const preset = MODE === 'production' ? inProduction : undefined
  const ofMerchants = limitWith(MERCHANT_REQUESTS_PER_SECOND, preset?.merchant)
  const ofCallers = limitWith(USER_REQUESTS_PER_SECOND, preset?.caller)
  const limits = makeRequestLimits({
    machineNow: Date.now,
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
