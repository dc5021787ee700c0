import { html } from 'hono/html'
import { inputField, type Problems } from '../../ui/fields.ts'
import type { Html } from '../../ui/page.ts'
import type { PortalVisitor } from '../page.ts'
import { card } from '../parts.ts'
import { actHtml, developersPath, textsOf } from './parts.ts'

/** What was typed, and what is wrong with it. */
export type TypedAddress = {
  /** For the test message. */
  readonly typed?: string
  /** As the merchant's own address. */
  readonly typedAddress?: string
  readonly problems?: Problems
}

const placeholder = 'https://shop.example/callback'

const testHtml = (visitor: PortalVisitor, typed: string, problems: Problems): Html => {
  const texts = textsOf(visitor)
  const fields = inputField({
    ...{ name: 'uri', label: texts.callbackAddress, problem: problems['uri'] },
    attributes: html`type="url" value="${typed}" maxlength="2000" required autocomplete="off"
    placeholder="${placeholder}"`,
  })
  const path = developersPath(visitor.shop.merchant, 'callbacks')
  const act = { path, change: 'test', label: texts.sendTest, fields, kind: '' } as const
  return card(
    texts.sendTest,
    html`<p class="quiet small">${texts.sendTestWhat}</p>
      ${actHtml(visitor, act)}`,
  )
}

/** Where goes what no request has given an address for. */
const ownHtml = (visitor: PortalVisitor, typed: string | undefined, problems: Problems): Html => {
  const texts = textsOf(visitor)
  const { merchant, callbackUri } = visitor.shop
  const fields = inputField({
    ...{ name: 'own_uri', label: texts.callbackAddress, problem: problems['own_uri'] },
    attributes: html`value="${typed ?? callbackUri ?? ''}" maxlength="2000" autocomplete="off"
    placeholder="${placeholder}"`,
  })
  const path = developersPath(merchant, 'callbacks')
  const act = { path, change: 'address', label: texts.save, fields, kind: '' } as const
  return card(
    texts.ownAddress,
    html`<p class="quiet small">${texts.ownAddressWhat}</p>
      ${actHtml(visitor, act)}`,
  )
}

/** The merchant's own address, and a test of any. */
export const addressesHtml = (
  visitor: PortalVisitor,
  { typed = '', typedAddress, problems = {} }: TypedAddress,
): Html =>
  html`<div>${ownHtml(visitor, typedAddress, problems)} ${testHtml(visitor, typed, problems)}</div>`
