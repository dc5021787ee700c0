import { networkOf } from './networks.ts'

const mostWatchers = 5000
/** Limits per stream and per network, so that nobody takes the room of others. */
const mostOfOneStream = 50
const mostOfOneNetwork = 1000

type Watcher = { readonly onEvent: () => void; readonly onEnd: () => void }

/** Notifies open pages of changes in the stream that they show. */
export const makeLive = () => {
  const watchers = new Map<string, Set<Watcher>>()
  const ofNetworks = new Map<string, number>()
  let count = 0
  let hasEnded = false
  return {
    onFolded: (streams: ReadonlySet<string>): void => {
      if (count === 0) return
      for (const stream of streams)
        for (const { onEvent } of [...(watchers.get(stream) ?? [])]) onEvent()
    },
    /** Returns a function that stops; undefined when there are too many watchers. */
    watch: (
      stream: string,
      from: string,
      onEvent: () => void,
      onEnd: () => void,
    ): (() => void) | undefined => {
      const known = watchers.get(stream) ?? new Set()
      const network = networkOf(from)
      const ofNetwork = ofNetworks.get(network) ?? 0
      const isFull = count >= mostWatchers || ofNetwork >= mostOfOneNetwork
      if (isFull || known.size >= mostOfOneStream) return undefined
      const watcher = { onEvent, onEnd }
      watchers.set(stream, known.add(watcher))
      ofNetworks.set(network, ofNetwork + 1)
      count += 1
      // The page reconnects when the service is back.
      if (hasEnded) queueMicrotask(onEnd)
      return () => {
        if (!known.delete(watcher)) return
        count -= 1
        const left = (ofNetworks.get(network) ?? 1) - 1
        if (left === 0) ofNetworks.delete(network)
        else ofNetworks.set(network, left)
        if (known.size === 0) watchers.delete(stream)
      }
    },
    /** Ends all streams, later ones at once, so that the service can stop. */
    end: (): void => {
      hasEnded = true
      for (const known of [...watchers.values()]) for (const { onEnd } of [...known]) onEnd()
    },
  }
}
