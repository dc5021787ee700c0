import type { Context } from '../../application/handle.ts'
import type { Core } from '../core.ts'
import type { Vitals } from '../readiness.ts'
import { rotateKeys, type RotatedKeys } from '../rotate-keys.ts'
import { securityPage, type SecurityPlace, type SecurityWanted } from '../security-pages.ts'
import { serviceHealth } from '../service-health.ts'
import { shownKeys } from '../shown-keys.ts'

/** What the operator watches: the service, its security log, its keys. */
export const operatorWatch = (core: Core, vitals: () => Promise<Vitals>) => ({
  ready: async () => (await vitals()).ready,
  health: serviceHealth(core, vitals),
  securityPage: (wanted: SecurityWanted, from: SecurityPlace | undefined, limit: number) =>
    securityPage(core.settings.DATA_DIR, wanted, from, limit),
  keys: shownKeys(core),
  rotateKeys: async (kind: RotatedKeys, context: Context): Promise<void> => {
    await rotateKeys(core)(kind, context)
  },
})
