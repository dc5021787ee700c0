import { html } from 'hono/html'
import type { Html } from '../../ui/page.ts'
import type { PortalVisitor } from '../page.ts'
import { textsOf } from './parts.ts'

type DocsLink = { readonly href: string; readonly text: string }

/** A page of the documentation, whose examples name the merchant and its user. */
export const docsPath = ({ shop }: PortalVisitor, page: string, user?: string): string => {
  const ids = new URLSearchParams({
    merchant: shop.merchant,
    ...(user !== undefined && { user }),
  })
  return `/docs${page === '' ? '' : `/${page}`}?${ids}`
}

export const docsLinks = (visitor: PortalVisitor, user: string): readonly DocsLink[] => {
  const texts = textsOf(visitor)
  return [
    { href: docsPath(visitor, '', user), text: texts.docsStart },
    { href: docsPath(visitor, 'signing', user), text: texts.docsSigning },
    { href: docsPath(visitor, 'client', user), text: texts.docsClient },
    { href: docsPath(visitor, 'callbacks', user), text: texts.docsCallbacks },
    { href: '/docs/reference', text: texts.docsReference },
  ]
}

export const docsLink = ({ href, text }: DocsLink): Html => html`<a href="${href}">${text}</a>`
