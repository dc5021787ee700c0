import { generationalCache } from '../../application/generational-cache.ts'
import type { Core } from '../core.ts'
import { makeLive } from './live.ts'

const merchantsRemembered = 10_000

/** Notifies open pages that their merchant has changed, once that is folded. */
export const merchantChanges = ({ onEvents, onFolded }: Pick<Core, 'onEvents' | 'onFolded'>) => {
  const live = makeLive()
  const newest = generationalCache<string, number>(merchantsRemembered)
  let changed = new Set<string>()
  onEvents((events) => {
    for (const { metadata, position, type, data } of events) {
      const { merchant } = metadata
      // A visit changes nothing shown on a page.
      if (typeof merchant !== 'string' || type === 'StaffVisited') continue
      newest.set(merchant, position)
      changed.add(merchant)
      // The payment page shows the callback attempts.
      if (type === 'CallbackAttempted') changed.add(String(data['subject']))
    }
  })
  onFolded(() => {
    const merchants = changed
    changed = new Set()
    live.onFolded(merchants)
  })
  return {
    newestOf: (merchant: string): number => newest.get(merchant) ?? 0,
    watchMerchant: live.watch,
    end: live.end,
  }
}

export type MerchantChanges = ReturnType<typeof merchantChanges>
