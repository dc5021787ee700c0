import { shortlinks, stickers } from '../domain/aggregates.ts'
import { refuse } from '../domain/refusal.ts'
import { findRechecked } from './find-rechecked.ts'
import type { Find } from './find-state.ts'
import type { Context, Handle } from './handle.ts'

type Needs = { readonly handle: Handle; readonly find: Find }

/**
 * Claims a sticker for a future shortlink, and returns the shortlink's id. If a crash leaves the
 * sticker without one, the same merchant can claim it again; a repeated request finds its own.
 * @throws Refusal serial_number_is_unknown, serial_number_is_claimed
 */
export const claimSticker =
  ({ handle, find }: Needs) =>
  async (serial: string, shortlink: string, merchant: string, context: Context) => {
    const command = { type: 'ClaimSticker', merchant, shortlink } as const
    const { state } = await handle(stickers, serial, command, context)
    if (state.status !== 'claimed') return refuse('serial_number_is_unknown')
    const { status } = await find(shortlinks, state.shortlink, 'log')
    return status === 'removed' ? refuse('serial_number_is_claimed') : state.shortlink
  }

/** Whether the operator has registered a sticker with this serial number. */
export const isStickerKnown = async (
  { find }: Pick<Needs, 'find'>,
  serial: string,
): Promise<boolean> => {
  const isKnown = ({ status }: { readonly status: string }) => status !== 'unknown'
  return isKnown(await findRechecked(find, stickers, serial, isKnown))
}
