import { z } from 'zod'
import { register } from '../register.ts'

/** Pusher channels (interface 13.6). Each name belongs to the merchant that used it first. */
export const channel = register('Channel', z.object({ id: z.string(), merchant: z.string() }))

const scheme = 'pusher:'
const longestName = 164

/** The channel of an address; undefined for http and https. */
export const channelOf = (uri: string): string | undefined =>
  uri.startsWith(scheme) ? uri.slice(scheme.length) : undefined

/** A name that Pusher allows, of a kind that is served. */
export const isChannelName = (name: string): boolean =>
  name.length <= longestName &&
  /^[A-Za-z0-9_\-=@,.;]+$/.test(name) &&
  !/^(presence|private-encrypted)-/.test(name)

/** Subscribers need an authorisation from the channel's merchant. */
export const isPrivateChannel = (name: string): boolean => name.startsWith('private-')

/**
 * Merchants whose prefix a name may begin with, longest id first: `m-a-b-till` belongs to `a-b` or
 * `a`. Undefined for names without a prefix.
 */
export const merchantsNamedIn = (name: string): readonly string[] | undefined => {
  const [, rest] = /^(?:private-)?m-(.*)$/.exec(name) ?? []
  if (rest === undefined) return undefined
  const parts = rest.split('-')
  return parts.slice(1).map((_, index) => parts.slice(0, -1 - index).join('-'))
}
