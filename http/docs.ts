import { z } from 'zod'
import type { Names } from './brand.ts'
import { docsPage } from './docs-page.ts'
import { openApi } from './openapi.ts'
import { route, type Route } from './route.ts'

/** The description of all routes, these two among them, as a document and as a page. */
export const documented = (
  routes: readonly Route[],
  names: Names,
  version: string,
  publicUrl: string | undefined,
): Route[] => {
  const all: Route[] = [...routes]
  const document = () => openApi(all, names, version, publicUrl)
  all.push(
    route({
      method: 'GET',
      path: '/openapi.json',
      access: 'OPEN',
      group: 'Service',
      summary: 'This interface as an OpenAPI 3.1 document',
      success: 'raw',
      replyTypes: ['application/json'],
      reply: z.looseObject({ openapi: z.string() }),
      handle: () => ({
        type: 'application/json',
        body: JSON.stringify(document(), null, 2),
      }),
    }),
    route({
      method: 'GET',
      path: '/docs',
      access: 'OPEN',
      group: 'Service',
      summary: 'This interface as a page to read',
      success: 'raw',
      replyTypes: ['text/html'],
      handle: () => docsPage(document()),
    }),
  )
  return all
}
