import { limitedCounts } from '../../application/limited-counts.ts'
import { isPrivateChannel } from '../../domain/merchant/channel.ts'
import type { Connection } from './connection.ts'

/** Anybody may fill the public one, so private channels have their own. */
const mostOfQuota = 5000

/** The listeners of each channel, limited for each merchant. */
export const makeListeners = (ownerOf: (channel: string) => string | undefined) => {
  const listeners = new Map<string, Set<Connection>>()
  const quotas = limitedCounts(mostOfQuota)

  const quotaOf = (channel: string): string | undefined => {
    const owner = ownerOf(channel)
    return owner && `${isPrivateChannel(channel) ? 'private' : 'public'} ${owner}`
  }

  return {
    /** False if the channels of the merchant have too many. */
    add: (connection: Connection, channel: string): boolean => {
      const quota = quotaOf(channel)
      if (quota !== undefined && !quotas.take(quota)) return false
      connection.channels.set(channel, quota)
      listeners.set(channel, (listeners.get(channel) ?? new Set()).add(connection))
      return true
    },
    remove: (connection: Connection, channel: string): void => {
      const quota = connection.channels.get(channel)
      if (!connection.channels.delete(channel)) return
      if (quota !== undefined) quotas.leave(quota)
      const others = listeners.get(channel)
      others?.delete(connection)
      if (others?.size === 0) listeners.delete(channel)
    },
    has: (channel: string): boolean => listeners.has(channel),
    /** A copy, as telling them may end a connection. */
    of: (channel: string): readonly Connection[] => [...(listeners.get(channel) ?? [])],
  }
}
