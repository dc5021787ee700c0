import { NoAnswer } from './errors.ts'
import type { Clock } from './options.ts'

/** The service's public keys as `whpk_…`; read again when `isOld`, once a minute at most. */
export type CallbackKeys = (isOld: boolean) => Promise<readonly string[]>

const minute = 60_000
const patience = 10_000

/** Keeps the keys that a service publishes. */
export const callbackKeys = (url: string, { now }: Pick<Clock, 'now'> = Date): CallbackKeys => {
  const place = `${url.replace(/\/$/, '')}/callback_keys.json`
  const read = async (): Promise<readonly string[]> => {
    try {
      const response = await fetch(place, { signal: AbortSignal.timeout(patience) })
      const { keys } = (await response.json()) as { keys: readonly { ed25519: string }[] }
      return keys.map(({ ed25519 }) => ed25519)
    } catch (cause) {
      throw new NoAnswer(`GET ${place}: no keys`, { cause })
    }
  }
  let known: { readonly at: number; readonly keys: Promise<readonly string[]> } | undefined
  return (isOld) => {
    if (known && !(isOld && now() - known.at >= minute)) return known.keys
    const keys = read()
    keys.catch(() => (known = undefined))
    known = { at: now(), keys }
    return keys
  }
}
