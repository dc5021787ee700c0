import type { Log } from '../../infrastructure/logs/log.ts'

const advice =
  'requests name their sender in X-Forwarded-For or Forwarded, and come from an address that is ' +
  'not in TRUSTED_PROXIES: if that is your proxy, all clients count as one, and one that guesses ' +
  'secrets is held against all. Set TRUSTED_PROXIES to its address'

const adviceIfDifferent =
  'a trusted proxy passes on X-Forwarded-For and Forwarded that name different senders: one of ' +
  'them may come from whoever asks, so such requests count as the proxy. Let it remove the one ' +
  'that it does not write'

/**
 * Warns once about a possible proxy that is not configured, and once about a proxy that sends
 * conflicting headers.
 */
export const watchProxies = (log: Log) => {
  let [isTold, differ] = [false, false]
  const problems = (): readonly string[] => [
    ...(isTold ? ['Requests come through a proxy that is not trusted.'] : []),
    ...(differ ? ['A proxy passes on X-Forwarded-For and Forwarded that differ.'] : []),
  ]
  return {
    isTold: (): boolean => isTold,
    seen: (peer: string | undefined): void => {
      if (isTold) return
      isTold = true
      log.error({ peer }, advice)
    },
    differs: (peer: string): void => {
      if (differ) return
      differ = true
      log.error({ peer }, adviceIfDifferent)
    },
    /** For the operator only; addresses are not shown to strangers. */
    details: (): Readonly<Record<string, string[]>> => {
      const told = [...problems()]
      return told.length > 0 ? { TRUSTED_PROXIES: told } : {}
    },
  }
}
