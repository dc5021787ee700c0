import type { Log } from './log.ts'

const advice =
  'requests name their sender in X-Forwarded-For or Forwarded, and come from an address that is ' +
  'not in TRUSTED_PROXIES: if that is your proxy, all clients count as one, and one that guesses ' +
  'secrets is held against all. Set TRUSTED_PROXIES to its address'

/** Tells once of what may be a proxy that nobody has named. */
export const watchProxies = (log: Log) => {
  let isTold = false
  return {
    isTold: (): boolean => isTold,
    seen: (peer: string | undefined): void => {
      if (isTold) return
      isTold = true
      log.error({ peer }, advice)
    },
    /** For whoever looks after the service; strangers learn no address. */
    details: (): Readonly<Record<string, string[]>> =>
      isTold ? { TRUSTED_PROXIES: ['Requests come through a proxy that is not trusted.'] } : {},
  }
}

export type ProxyWatch = ReturnType<typeof watchProxies>
