import { channels, merchants } from '../domain/aggregates.ts'
import { merchantsNamedIn } from '../domain/merchant/channel.ts'
import { Refusal } from '../domain/refusal.ts'
import type { Find } from './find-state.ts'
import type { Context, Handle } from './handle.ts'

type Needs = { readonly handle: Handle; readonly find: Find }

/** The id of a channel's stream; names may hold characters that streams do not. */
export const channelKey = (name: string): string => encodeURIComponent(name)

/**
 * Makes a channel the merchant's own. False if it is another merchant's, by its prefix or because
 * that one used it first.
 */
export const claimChannels = ({ handle, find }: Needs) => {
  const isInPrefixOf = async (merchant: string, name: string): Promise<boolean> => {
    const named = merchantsNamedIn(name)
    if (named === undefined) return true
    for (const id of named) {
      if (id === merchant) return true
      // The prefix of `a-b` begins with the prefix of `a`.
      if (id.length > merchant.length && (await find(merchants, id)).status === 'present')
        return false
    }
    return false
  }

  return async (name: string, context: Context & { readonly merchant: string }) => {
    const { merchant } = context
    const id = channelKey(name)
    const known = await find(channels, id)
    if (known.status === 'present') return known.data.merchant === merchant
    if ((await find(merchants, merchant)).status !== 'present') return false
    if (!(await isInPrefixOf(merchant, name))) return false
    const data = { id: name, merchant }
    try {
      await handle(channels, id, { type: 'Register', data }, context)
      return true
    } catch (error) {
      if (error instanceof Refusal && error.code === 'id_used_with_other_data') return false
      throw error
    }
  }
}

export type ClaimChannel = ReturnType<typeof claimChannels>
