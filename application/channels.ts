import { channels, merchants } from '../domain/aggregates.ts'
import { merchantsNamedIn } from '../domain/merchant/channel.ts'
import { Refusal } from '../domain/refusal.ts'
import type { Find } from './find-state.ts'
import type { Context, Deciding } from './handle.ts'

/** The id of a channel's stream; channel names may contain characters that stream names may not. */
export const channelKey = (name: string): string => encodeURIComponent(name)

const isInPrefixOf = async (find: Find, merchant: string, name: string): Promise<boolean> => {
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

/** Whether a channel belongs to the merchant, or could. */
export const mayHaveChannel =
  ({ find }: Pick<Deciding, 'find'>) =>
  async (name: string, merchant: string): Promise<'own' | 'free' | 'no'> => {
    const known = await find(channels, channelKey(name))
    if (known.status === 'present') return known.data.merchant === merchant ? 'own' : 'no'
    if ((await find(merchants, merchant)).status !== 'present') return 'no'
    return (await isInPrefixOf(find, merchant, name)) ? 'free' : 'no'
  }

/**
 * Assigns a channel to the merchant. False if it belongs to another, by its prefix or because that
 * merchant used it first.
 */
export const claimChannels = ({ handle, find }: Deciding) => {
  const mayHave = mayHaveChannel({ find })
  return async (name: string, context: Context & { readonly merchant: string }) => {
    const { merchant } = context
    const may = await mayHave(name, merchant)
    if (may !== 'free') return may === 'own'
    const data = { id: name, merchant }
    try {
      await handle(channels, channelKey(name), { type: 'Register', data }, context)
      return true
    } catch (error) {
      if (error instanceof Refusal && error.code === 'id_used_with_other_data') return false
      throw error
    }
  }
}

export type ClaimChannel = ReturnType<typeof claimChannels>
export type MayHaveChannel = ReturnType<typeof mayHaveChannel>
