import { z } from 'zod'
import type { Decider, EventsOf } from '../decider.ts'
import { refuse } from '../refusal.ts'

export const serialNumberPattern = /^[a-zA-Z0-9-]{1,64}$/

/** Streams `sticker-<serial number>`. */
export const stickerEvents = {
  StickerAdded: z.object({}),
  /** Permanent. */
  StickerClaimed: z.object({ merchant: z.string(), shortlink: z.string() }),
} as const

export type StickerEvent = EventsOf<typeof stickerEvents>

export type Sticker =
  | { readonly status: 'unknown' }
  | { readonly status: 'free' }
  | { readonly status: 'claimed'; readonly merchant: string; readonly shortlink: string }

export type StickerCommand =
  | { readonly type: 'AddSticker' }
  | { readonly type: 'ClaimSticker'; readonly merchant: string; readonly shortlink: string }

/** A printed code that one shortlink can claim once. */
export const sticker: Decider<StickerCommand, StickerEvent, Sticker> = {
  initial: { status: 'unknown' },
  decide(command, state) {
    switch (command.type) {
      case 'AddSticker':
        return state.status === 'unknown' ? [{ type: 'StickerAdded', data: {} }] : []
      case 'ClaimSticker': {
        const { merchant, shortlink } = command
        if (state.status === 'free')
          return [{ type: 'StickerClaimed', data: { merchant, shortlink } }]
        if (state.status !== 'claimed') return refuse('serial_number_is_unknown')
        // The merchant's earlier claim may not have led to a shortlink.
        return state.merchant === merchant ? [] : refuse('serial_number_is_claimed')
      }
    }
  },
  evolve(_, event) {
    switch (event.type) {
      case 'StickerAdded':
        return { status: 'free' }
      case 'StickerClaimed':
        return { status: 'claimed', ...event.data }
    }
  },
}
