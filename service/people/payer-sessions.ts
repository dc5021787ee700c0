import { payers } from '../../domain/aggregates.ts'
import { generationalCache } from '../../application/generational-cache.ts'
import { idleLifetime, isLive } from '../../application/sign-in.ts'
import type { Core } from '../core.ts'

const sessionsRemembered = 10_000
/** How often the use of a session is recorded as an event, for other processes. */
const recordedEveryMs = 300_000

/**
 * Sessions of payers. Each use is kept in memory, and occasionally recorded in the log, so that
 * idle sessions end on each node and after a restart.
 */
export const payerSessions = (core: Core) => {
  const { handle, find, log } = core
  const { vault, sessions } = core.people
  const used = generationalCache<string, number>(sessionsRemembered)
  const recorded = generationalCache<string, number>(sessionsRemembered)

  const lastUse = (session: string, usedAt: number): number =>
    Math.max(usedAt, used.get(session) ?? 0)

  const record = (payer: string, session: string, at: number): void => {
    recorded.set(session, at)
    const context = { ...core.contextOf(`payer:${payer}`), at }
    // In the background: a full disk must not end a session.
    void handle(payers, payer, { type: 'UseSession', session }, context).catch((error: unknown) =>
      log.debug({ error }, 'the use of a session was not recorded'),
    )
  }

  return {
    /**
     * Undefined unless the session is live. `isUse`: by the user, not just by a page that refreshes
     * itself.
     */
    findSession: async (session: string, at: number, isUse = true) => {
      await core.readModels.caughtUp()
      const row = sessions.find(session)
      if (!row || (await find(payers, row.payer)).status !== 'present') return undefined
      const usedAt = lastUse(session, row.usedAt)
      if (!isLive({ expiresAt: row.expiresAt, usedAt }, at)) return undefined
      if (!isUse) return row
      used.set(session, at)
      const last = Math.max(row.usedAt, recorded.get(session) ?? 0)
      if (at >= last + recordedEveryMs) record(row.payer, session, at)
      return row
    },
    /** Live sessions, newest first. */
    devicesOf: (payer: string, at: number) =>
      sessions
        .ofPayer(payer, at)
        .map((row) => ({ ...row, usedAt: lastUse(row.session, row.usedAt) }))
        .filter(({ usedAt }) => at < usedAt + idleLifetime * 1000)
        .map(({ session, startedAt, usedAt, device }) => ({
          ...{ session, startedAt, usedAt },
          device: (device === null ? undefined : vault.unseal(payer, device)) ?? null,
        })),
  }
}
