import { linksOf, type Links } from '../http/addresses.ts'
import { namesOf } from '../http/brand.ts'
import { wordsOfCallbacks } from '../http/merchant/callback-words.ts'
import { stringToSign } from '../http/signature.ts'
import type { Core } from './core.ts'
import { openGranted, type Granted } from './people/granted.ts'
import { isSafeChannel } from './pusher/pusher.ts'
import type { Settings } from '../infrastructure/settings.ts'

export const namesIn = ({ HEADER_PREFIX, MEDIA_VENDOR }: Settings) =>
  namesOf({ headerPrefix: HEADER_PREFIX, mediaVendor: MEDIA_VENDOR })

export const linksWith = ({ settings: { ABSOLUTE_URIS: absoluteUris }, publicUrl }: Core): Links =>
  linksOf(() => ({ publicUrl: publicUrl(), absoluteUris }))

/** The wire format of callbacks, and their signatures. */
export const wireWith = (core: Core, { views }: Granted, links: Links) => {
  const { accounting, people, settings } = core
  const known = { ...core, ...people, ...accounting, views, links }
  const message = wordsOfCallbacks({ ...known, isSafeChannel: isSafeChannel(settings) })
  return { names: namesIn(settings), stringToSign, message }
}

/** The wire format of callbacks without a running service. */
export const callbackWire = async (core: Core) =>
  wireWith(core, await openGranted(core), linksWith(core))
