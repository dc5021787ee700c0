import { z } from 'zod'
import type { Route } from './route.ts'

/** Operation ids that do not follow from method and path. */
export const namesOfOperations: Readonly<Record<string, string>> = {
  'PUT /merchant/v1/ledger/:ledger_id/report/:report_id/': 'closeLedgerReport',
  'GET /merchant/v1/merchant/:merchant_id/logo/': 'getMerchantLogoWithSlash',
  'GET /merchant/v1/callback_address/': 'getCallbackAddresses',
  'POST /attachment/v1/:tid/:expires/:signature/': 'uploadAttachments',
  'POST /merchant/v1/dispute/:dispute_id/evidence/': 'sendDisputeEvidence',
  'GET /merchant/v1/dispute/:dispute_id/evidence/': 'listDisputeEvidence',
  'GET /merchant/v1/log/:sha256/': 'downloadLog',
  'GET /s/:shortlink_id/': 'openShortlink',
  'GET /s/:shortlink_id/:argstring': 'openShortlinkWithArgstring',
  'POST /oauth2/token': 'exchangeToken',
  'POST /oauth2/revoke': 'revokeToken',
  'POST /oauth2/introspect': 'introspectToken',
  'GET /oauth2/v1/userinfo': 'getUserInfo',
  'POST /oauth2/v1/userinfo': 'postUserInfo',
  'GET /payer/': 'getPayerHomePage',
  'GET /payer/language/:language': 'choosePayerLanguage',
  'GET /audit': 'getAuditStart',
  'GET /operator': 'getOperatorStart',
  'GET /operator/': 'getOperatorOverviewPage',
  'GET /operator/funding/:difference': 'getOperatorFundingDifferencePage',
  'GET /operator/invoices/:invoice': 'getOperatorInvoicePage',
  'POST /operator/invoices': 'billOperatorInvoice',
  'POST /operator/invoices/:invoice': 'payOperatorInvoice',
  'GET /operator/keys/:kind': 'getOperatorKeyRotationPage',
  'GET /operator/journal/entries.csv': 'downloadOperatorJournal',
  'GET /operator/payouts/bank/:entry': 'getOperatorBankEntryPage',
  'POST /operator/payouts/bank/:entry': 'submitOperatorBankEntryForm',
  'GET /operator/payouts/messages/:message/pain001.xml': 'downloadOperatorPaymentMessage',
  'POST /operator/payouts/bank': 'importOperatorBankFile',
  'GET /operator/merchants/:merchant': 'getOperatorMerchantPage',
  'GET /portal': 'getPortalStart',
  'GET /portal/:merchant/': 'getPortalOverviewPage',
  'POST /portal/:merchant/': 'hidePortalSteps',
  'GET /portal/:merchant/take/:tid': 'getPortalTakenPage',
  'POST /portal/:merchant/take/:tid': 'cancelPortalTaken',
  'GET /portal/:merchant/links/:offer': 'getPortalPaymentLinkPage',
  'POST /portal/:merchant/links/:offer': 'changePortalPaymentLink',
  'GET /portal/:merchant/payments.csv': 'downloadPortalPayments',
  'GET /portal/:merchant/payments-events': 'followPortalPayments',
  'GET /portal/:merchant/payments/:tid': 'getPortalPaymentPage',
  'GET /portal/:merchant/payments/:tid/events': 'followPortalPayment',
  'GET /portal/:merchant/payments/:tid/proof.json': 'downloadPortalPaymentProof',
  'GET /portal/:merchant/payments/:tid/attachment/:attachment_id': 'getPortalPaymentPicture',
  'GET /portal/:merchant/developers/applications/:client': 'getPortalApplicationPage',
  'POST /portal/:merchant/developers/applications/:client': 'submitPortalApplicationForm',
  'GET /portal/:merchant/developers/callbacks/:message': 'getPortalCallbackPage',
  'POST /portal/:merchant/developers/callbacks/:message': 'submitPortalCallbackForm',
  'GET /payer/v1/request/': 'listPayerRequests',
  'GET /merchant/v1/merchant_lookup/:lookup_id/': 'findMerchant',
  'GET /merchant/v1/callback/feed/': 'readCallbackFeed',
  'POST /merchant/v1/callback/:callback_id/retry/': 'retryCallback',
  'POST /sandbox/v1/callback/': 'sendSandboxCallback',
  'POST /merchant/v1/pusher_auth/': 'authorizePusherChannel',
  'POST /payer/v1/sign_up/': 'beginPayerSignUp',
  'POST /payer/v1/payer/': 'createPayer',
  'POST /payer/v1/recovery/': 'beginPayerRecovery',
  'POST /payer/v1/recovery/proof/': 'provePayerRecovery',
  'PUT /payer/v1/recovery/': 'finishPayerRecovery',
  'POST /payer/v1/authenticator/': 'beginPayerAuthenticator',
  'POST /payer/v1/number/': 'beginPayerNumber',
  'POST /payer/v1/payer/close/': 'closePayer',
  'GET /payer/v1/session/': 'listPayerSessions',
  'DELETE /payer/v1/session/:session/': 'endPayerSession',
  'POST /payer/v1/scan/': 'scanPayerCode',
  'POST /sandbox/v1/clock/': 'advanceSandboxClock',
  'GET /transparency/verify.mjs': 'downloadVerifier',
  'GET /': 'getStart',
  'GET /merchant/v1/transaction/': 'listTransactions',
  'GET /merchant/v1/transaction/days/': 'listTransactionDays',
  'GET /merchant/v1/payments/': 'listPayments',
  'GET /docs/:page': 'getGuidePage',
  'GET /docs-assets/:file': 'getDocsAsset',
}

export const verbs: Record<Route['method'], string> = {
  GET: 'get',
  POST: 'create',
  PUT: 'update',
  DELETE: 'delete',
}

/** Last parts of a path that are verbs. */
export const actionNames = new Set(['accept', 'decline', 'scan'])

export const inCapitals = (text: string): string =>
  text
    .split(/[^a-z0-9]+/i)
    .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))
    .join('')

export const plural = (name: string): string => {
  if (name.endsWith('s')) return name
  return name.endsWith('y') ? `${name.slice(0, -1)}ies` : `${name}s`
}

export const isParameter = (part: string | undefined): boolean => part?.startsWith(':') === true

/** The fixed parts of a path, and parameters that follow a parameter. */
export const nounsIn = (path: string): string[] => {
  const parts = path.split('/').filter((part) => part !== '' && part !== 'v1')
  // The merchant interface is the default, so drop its prefix.
  const own = parts[0] === 'merchant' && parts.length > 1 ? parts.slice(1) : parts
  return own.flatMap((part, index) => {
    if (!isParameter(part)) return inCapitals(part)
    return isParameter(own[index - 1]) ? `With${inCapitals(part)}` : []
  })
}

/** The operation id, which client generators use as method name. */
export const operationIdOf = (
  { method, path: pattern, replyTypes, takesForm }: Route,
  paths: readonly string[],
): string => {
  const path = pattern.replace(/\{[^}]*\}/g, '')
  const named = namesOfOperations[`${method} ${path}`]
  if (named !== undefined) return named
  const nouns = nounsIn(path)
  const name = nouns.join('')
  if (replyTypes?.includes('text/html'))
    return method === 'GET' ? `get${name}Page` : `submit${name}Form`
  if (takesForm === true) return `submit${name}Form`
  const last = nouns.at(-1)?.toLowerCase() ?? ''
  if (method === 'POST' && actionNames.has(last)) return `${last}${nouns.slice(0, -1).join('')}`
  const isOfMany = !isParameter(path.split('/').at(-2))
  const isList = isOfMany && method === 'GET' && paths.some((other) => other.startsWith(`${path}:`))
  return isList ? `list${plural(name)}` : `${verbs[method]}${name}`
}

export type Json = Record<string, unknown>

/** JSON schema of the input or the output of a schema. */
export type SchemaOf = (schema: z.ZodType, io: 'input' | 'output') => Json

/** `$defs` become components. */
const withComponents = (value: unknown): Json =>
  JSON.parse(JSON.stringify(value).replaceAll('#/$defs/', '#/components/schemas/')) as Json

const isJson = (value: unknown): value is Json => typeof value === 'object' && value !== null

/** Describes a default in words: generators take a field with `default` for always present. */
const defaultInWords = (field: unknown): unknown => {
  if (!isJson(field) || !('default' in field)) return field
  const { default: value, description, ...rest } = field
  const isNothing = value === null || value === '' || (Array.isArray(value) && value.length === 0)
  const words = [description ?? [], isNothing ? [] : `Default: ${JSON.stringify(value)}.`].flat()
  return words.length === 0 ? rest : { ...rest, description: words.join(' ') }
}

const defaultsInWords = (schema: unknown): unknown => {
  if (Array.isArray(schema)) return schema.map(defaultsInWords)
  if (!isJson(schema)) return schema
  const entries = Object.entries(schema).map(([key, value]) => {
    if (key !== 'properties' || !isJson(value)) return [key, defaultsInWords(value)]
    const fields = Object.entries(value).map(([name, field]) => [
      name,
      defaultsInWords(defaultInWords(field)),
    ])
    return [key, Object.fromEntries(fields)]
  })
  return Object.fromEntries(entries)
}

/** A parameter of digits alone is documented as a number. */
export const asNumber = (schema: Json): Json => {
  const { type, pattern, examples, ...rest } = schema
  const digits = /^\^\\d(?:\+|\{1,(\d+)\})\$$/.exec(String(pattern))
  if (type !== 'string' || !digits) return schema
  const [, most] = digits
  return {
    ...rest,
    ...(Array.isArray(examples) && { examples: examples.map(Number) }),
    type: 'integer',
    minimum: 0,
    ...(most !== undefined && { maximum: 10 ** Number(most) - 1 }),
  }
}

/** Prints schemas and collects those with an id as components. */
export const makeSchemas = () => {
  const schemas: Json = {}

  const keep = (name: string, { id: _, ...definition }: Json): void => {
    const before = schemas[name] ?? definition
    // Input and output may differ; then they need two ids.
    if (JSON.stringify(before) !== JSON.stringify(definition))
      throw new Error(`two schemas are called ${name}`)
    schemas[name] = definition
  }

  const print: SchemaOf = (schema, io) => {
    const printed = z.toJSONSchema(schema, { io, unrepresentable: 'any' })
    const {
      $schema: _,
      $defs = {},
      ...rest
    } = (io === 'input' ? defaultsInWords(printed) : printed) as Json & { $defs?: Json }
    for (const [name, definition] of Object.entries($defs)) keep(name, withComponents(definition))
    const { id: name, ...definition } = withComponents(rest)
    if (typeof name !== 'string') return definition
    keep(name, definition)
    return { $ref: `#/components/schemas/${name}` }
  }

  // All routes have the schema of errors, and many share others.
  const printed = { input: new Map<z.ZodType, Json>(), output: new Map<z.ZodType, Json>() }
  const schemaOf: SchemaOf = (schema, io) => {
    const known = printed[io].get(schema) ?? print(schema, io)
    printed[io].set(schema, known)
    return known
  }

  return { schemas, schemaOf }
}

export const contentOf = (types: readonly string[], schema: Json): { readonly content: Json } => ({
  content: Object.fromEntries(types.map((type) => [type, { schema }])),
})
