import { callbackObjects } from '../../application/callback-object.ts'
import { makeAttachmentLink } from './attachment.ts'
import { callbackMessages } from './callback-message.ts'

type Needs = Parameters<typeof callbackObjects>[0] &
  Pick<Parameters<typeof callbackMessages>[0], 'links' | 'reportHolding' | 'isSafeChannel'> & {
    readonly tokens: Pick<Parameters<typeof callbackMessages>[0], 'sign' | 'scanToken'>
  }

/** The words of callbacks, made from the log. */
export const wordsOfCallbacks = ({ tokens: { sign, scanToken }, ...needs }: Needs) => {
  const attachmentLink = makeAttachmentLink({ links: needs.links, sign })
  const tellEvent = callbackObjects(needs)
  return callbackMessages({ ...needs, sign, scanToken, attachmentLink, tellEvent })
}
