import type { Log } from './log.ts'

const advice =
  'requests name their sender in X-Forwarded-For or Forwarded, and come from an address that is ' +
  'not in TRUSTED_PROXIES: if that is your proxy, all clients count as one, and one that guesses ' +
  'secrets is held against all. Set TRUSTED_PROXIES to its address'

const adviceIfDifferent =
  'a trusted proxy passes on X-Forwarded-For and Forwarded that name different senders: one of ' +
  'them may come from whoever asks, so such requests count as the proxy. Let it remove the one ' +
  'that it does not write'

/** Tells once of what may be a proxy that nobody has named, and once of one that passes on both. */
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
    /** For whoever looks after the service; strangers learn no address. */
    details: (): Readonly<Record<string, string[]>> => {
      const told = [...problems()]
      return told.length > 0 ? { TRUSTED_PROXIES: told } : {}
    },
  }
}
