import { linksOf, type Links } from '../http/addresses.ts'
import { wordsOfCallbacks } from '../http/merchant/callback-reply.ts'
import { stringToSign } from '../http/signed-request.ts'
import { namesIn } from './about.ts'
import type { Core } from './core.ts'
import { openGranted, type Granted } from './people/grants.ts'
import { isSafeChannel } from './pusher/pusher.ts'

export const linksWith = ({
  settings: { ABSOLUTE_URIS: absoluteUris },
  publicUrl,
}: Pick<Core, 'settings' | 'publicUrl'>): Links =>
  linksOf(() => ({ publicUrl: publicUrl(), absoluteUris }))

/** The wire format of callbacks, and their signatures. */
export const wireWith = (
  { store, find, tokens, reportHolding, settings }: Core,
  { views }: Granted,
  links: Links,
) => {
  const tell = wordsOfCallbacks({
    store,
    find,
    views,
    links,
    tokens,
    reportHolding,
    isSafeChannel: isSafeChannel(settings),
  })
  return {
    names: namesIn(settings),
    stringToSign,
    /** With the trace that its event belongs to. */
    tell,
    message: async (...about: Parameters<typeof tell>) => (await tell(...about)).text,
  }
}

/** The wire format of callbacks without a running service. */
export const callbackWire = async (core: Core) =>
  wireWith(core, await openGranted(core), linksWith(core))
