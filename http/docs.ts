import { z } from 'zod'
import { docsPage } from './docs-page.ts'
import { openApi, type Described } from './openapi.ts'
import { route, type Route } from './route.ts'

const once = <Value>(make: () => Value): (() => Value) => {
  let value: Value | undefined
  return () => (value ??= make())
}

/** The description of all routes, these two among them, as a document and as a page. */
export const documented = (routes: readonly Route[], described: Described): Route[] => {
  const all: Route[] = [...routes]
  // Made once, as bytes that all answers share: each of a text would keep a copy until its reader has taken it.
  const document = once(() => openApi(all, described))
  const documentBytes = once(() => new TextEncoder().encode(JSON.stringify(document(), null, 2)))
  const page = once(() => docsPage(document()))
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
      handle: () => ({ type: 'application/json', body: documentBytes() }),
    }),
    route({
      method: 'GET',
      path: '/docs',
      access: 'OPEN',
      group: 'Service',
      summary: 'This interface as a page to read',
      success: 'raw',
      replyTypes: ['text/html'],
      handle: page,
    }),
  )
  return all
}
