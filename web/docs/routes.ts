import { z } from 'zod'
import { refuse } from '../../domain/refusal.ts'
import type { Links } from '../../http/addresses.ts'
import type { AssetNeeds } from '../../http/assets.ts'
import { openApi, type Described } from '../../http/openapi.ts'
import { type Group, type RawReply, type Route, routesOf } from '../../http/route.ts'
import { assetTypes, makeAssets } from './assets.ts'
import type { Entry } from './search.ts'
import { makeSite, type SiteNeeds } from './site.tsx'

export type DocsNeeds = Described &
  AssetNeeds &
  Pick<SiteNeeds, 'renderMarkdown' | 'signExample'> & { readonly links: Links }

const once = <Value>(make: () => Value): (() => Value) => {
  let value: Value | undefined
  return () => (value ??= make())
}

type Document = {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
}

type Operation = {
  readonly tags: readonly [string]
  readonly summary: string
  readonly description: string
  readonly operationId: string
}

/** Groups of pages and forms, which no program asks for. */
const forBrowsers: readonly string[] = ['Pages', 'Portal', 'Operator'] satisfies Group[]

/** The operations of the document that programs use, to be found by the search. */
const operationsIn = (document: object): Entry[] =>
  Object.entries((document as Document).paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, { tags }]) => !forBrowsers.includes(tags[0]))
      .map(([method, { tags, summary, description, operationId }]) => ({
        href: `/docs/reference#/${encodeURIComponent(tags[0])}/${operationId}`,
        title: summary,
        page: `${method.toUpperCase()} ${path}`,
        text: description.replaceAll('`', ''),
      })),
  )

const kind = { access: 'OPEN', group: 'Service', success: 'raw' } as const

const files = routesOf(kind)

const pages = routesOf({
  ...kind,
  replyTypes: ['text/html'],
  ownErrors: { type: 'text/html', schema: z.string() },
})

const documentRoute = (documentBytes: () => Uint8Array<ArrayBuffer>): Route =>
  files.get('/openapi.json', {
    summary: 'This interface as an OpenAPI 3.1 document',
    replyTypes: ['application/json'],
    reply: z.looseObject({ openapi: z.string() }),
    handle: () => ({ type: 'application/json', body: documentBytes() }),
  })

const idText = z
  .string()
  .regex(/^[a-zA-Z0-9_.@-]{1,100}$/)
  .optional()

const ownIds = {
  merchant: idText.meta({ description: 'Stands in the examples, in place of `sandbox`.' }),
  user: idText.meta({ description: 'Stands in the examples, in place of `pos1`.' }),
}

/** Whose ids the examples name. */
type OwnIds = { readonly merchant?: string | undefined; readonly user?: string | undefined }

/** Their signatures hold for the ids that stand there. */
const isSigned = (example: string): boolean =>
  /PRIVATE KEY|RSA-SHA256 [A-Za-z0-9+/]{40}|^<pre[^>]*>.*POST\|http/.test(example)

/** A page whose examples name a merchant and its user in place of the sandbox's. */
const withOwnIds = (html: string, { merchant = 'sandbox', user = 'pos1' }: OwnIds): string =>
  html.replaceAll(/<pre[^]*?<\/pre>/g, (example) =>
    isSigned(example)
      ? example
      : example
          .replaceAll('sandbox-secret', () => 'YOUR-SECRET')
          .replaceAll(/(?<![/\w-])sandbox(?![/\w-])/g, () => merchant)
          .replaceAll('private-m-sandbox-', () => `private-m-${merchant}-`)
          .replaceAll(/(?<![\w-])pos1(?![\w-])/g, () => user),
  )

const filledIn = (reply: RawReply | undefined, ids: OwnIds): RawReply => {
  if (!reply) return refuse('resource_is_unknown')
  const { merchant, user } = ids
  if ((merchant ?? user) === undefined || !(reply.body instanceof Uint8Array)) return reply
  const text = new TextDecoder().decode(reply.body)
  return { ...reply, body: new TextEncoder().encode(withOwnIds(text, ids)) }
}

const pageRoutes = (site: () => ReturnType<typeof makeSite>): Route[] => {
  const pageAt = async (path: string, ids: OwnIds) => filledIn((await site()).page(path), ids)
  return [
    pages.get('/docs', {
      summary: 'This interface as pages to read',
      description: 'With `q` the pages are searched.',
      query: z.object({ q: z.string().max(100).optional(), ...ownIds }),
      handle: async ({ query: { q, ...ids } }) =>
        q === undefined ? pageAt('/docs', ids) : (await site()).search(q.trim()),
    }),
    pages.get('/docs/:page', {
      summary: 'A page of the documentation',
      params: z.object({ page: z.string().max(64) }),
      query: z.object(ownIds),
      handle: ({ params: { page }, query }) => pageAt(`/docs/${page}`, query),
    }),
  ]
}

const fileRoute = (assets: ReturnType<typeof makeAssets>): Route =>
  files.get('/docs-assets/:file', {
    summary: 'What pages of the documentation are made of',
    replyTypes: assetTypes,
    params: z.object({ file: z.string().max(64) }),
    handle: ({ params: { file } }) => assets(file) ?? refuse('resource_is_unknown'),
  })

/** The description of all routes, these among them: as a document, and as pages. */
export const documented = (routes: readonly Route[], needs: DocsNeeds): Route[] => {
  const { links, readAsset } = needs
  const all: Route[] = [...routes]
  // Made once, as bytes that all answers share: a text would be copied for each answer.
  const document = once(() => openApi(all, needs))
  const documentBytes = once(() => new TextEncoder().encode(JSON.stringify(document(), null, 2)))
  const site = once(() =>
    makeSite({
      ...needs,
      base: links.full(''),
      isSandbox: routes.some(({ path }) => path.startsWith('/sandbox/')),
      operations: operationsIn(document()),
    }),
  )
  all.push(documentRoute(documentBytes), ...pageRoutes(site), fileRoute(makeAssets(readAsset)))
  return all
}
