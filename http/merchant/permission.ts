import { z } from 'zod'
import type { Find } from '../../application/find-state.ts'
import type { requestPermission } from '../../application/permissions.ts'
import type { PermissionView } from '../../application/merchant-views.ts'
import { defaultLedger } from '../../domain/accounting/ledger.ts'
import { formatScope, parseScope, scopes } from '../../domain/people/scope.ts'
import { refuse } from '../../domain/refusal.ts'
import type { Instant } from '../../domain/time.ts'
import { merchantPrefix, ridParams, type Links, callbackUriText } from '../addresses.ts'
import { callerOf, contextOf } from '../call.ts'
import { recordReading, type RecordingNeeds } from '../personal-data.ts'
import { type Route, routesOf } from '../route.ts'
import {
  tokenMembers,
  tokensView,
  userInfoReply,
  reportOfLine,
  type ReportOfLine,
  type ReportHolding,
} from './outcome-reply.ts'
import { createdReply, dateTime, money, identifier, orElse, plainNumber } from '../wire.ts'
import { requestFaults } from './sandbox-faults.ts'
import { orEmpty } from '../empty-values.ts'

export const scopeText = z
  .string()
  .max(1000)
  .transform(parseScope)
  .meta({ description: `Space-delimited, out of ${scopes.join(' ')}; others are ignored.` })

/** The part of the request that is granted. */
export const grantedText = orEmpty(
  scopeText,
  'Absent or null grants all that was asked for, an empty text none of it.',
).transform((scope) => (scope === undefined ? null : (scope ?? [])))

/** Six hours by default, at most thirty days (interface 4 and 11). */
export const expiresInput = plainNumber(orElse(z.int().min(0).max(2_592_000), 21_600)).meta({
  description: 'Seconds that the payer has to answer.',
})

export const permissionInput = z
  .object({
    pos_id: identifier,
    pos_tid: identifier,
    customer: z.string().min(1).max(100).meta({
      description:
        'As the customer of a payment request: an access token, a phone number or a code.',
    }),
    scope: scopeText,
    text: z.string().max(1000).nullable().default(null),
    callback_uri: callbackUriText.nullable().default(null),
    expires_in: expiresInput,
  })
  .meta({ id: 'PermissionRequestInput' })

const permissionReply = z
  .object({
    id: z.string(),
    pos_id: z.string(),
    pos_tid: z.string(),
    customer: z.string().nullable(),
    scope: z.string(),
    text: z.string().nullable(),
    callback_uri: z.string().nullable(),
    date_expires: dateTime,
  })
  .meta({ id: 'PermissionRequest' })

/** The outcome of a permission request; also the object of callbacks. */
export const permissionOutcomeReply = z
  .object({
    ...tokenMembers,
    currency: z.string().meta({ description: 'Of the fee.' }),
    transaction_fee: money.meta({ description: 'Once it is answered; without VAT.' }),
    report_id: z.string().nullable(),
    report_uri: z.string().nullable(),
    ledger_id: z.null(),
    status: z.enum(['pending', 'ok', 'fail']),
    status_code: z.int(),
    pos_id: z.string(),
    pos_tid: z.string(),
    rid: z.string(),
    user_info: userInfoReply,
  })
  .meta({ id: 'PermissionOutcome' })

/** Permission requests belong to the merchant's default ledger (interface 8). */
export const reportOfPermission =
  (links: Links, reportHolding: ReportHolding) =>
  ({ request: { merchant }, linePosition }: PermissionView): Promise<ReportOfLine> =>
    reportOfLine(links, reportHolding)({ merchant, linePosition, lineLedger: defaultLedger })

export const permissionOutcomeView = (
  row: PermissionView,
  report: ReportOfLine,
): z.input<typeof permissionOutcomeReply> => ({
  ...tokensView(row.tokens),
  currency: row.currency,
  transaction_fee: { minor: row.fee, currency: row.currency },
  report_id: report.id,
  report_uri: report.uri,
  ledger_id: null,
  status: row.status,
  status_code: row.statusCode,
  pos_id: row.request.posId,
  pos_tid: row.request.posTid,
  rid: row.rid,
  user_info: row.tokens && row.tokens.userInfo,
})

type PermissionNeeds = RecordingNeeds & {
  readonly find: Find
  readonly links: Links
  readonly caughtUp: () => Promise<void>
  readonly reportHolding: ReportHolding
  readonly requestPermission: ReturnType<typeof requestPermission>
  /** The state of the request at an instant. */
  readonly findPermission: (
    merchant: string,
    rid: string,
    at: Instant,
  ) => Promise<PermissionView | undefined>
}

const listPath = `${merchantPrefix}/permission_request/`

const detailPath = (rid: string): string => `${listPath}${rid}/`

export const permissionOutcomePath = (rid: string): string => `${detailPath(rid)}outcome/`

const { get, post } = routesOf({ access: 'SECRET', group: 'Permission request' })

/** Permission requests (interface 11.1). */
export const permissionRoutes = (needs: PermissionNeeds): Route[] => [
  post(listPath, {
    summary: 'Ask a payer for permissions',
    description:
      'The same request again, by pos_id and pos_tid, answers as the first did. The access token ' +
      'names the payer as the customer of later requests, too.',
    body: permissionInput,
    success: 'created',
    reply: createdReply,
    furtherFaults: requestFaults(needs),
    handle: async (call) => {
      const { pos_id: posId, pos_tid: posTid, callback_uri: callbackUri, ...rest } = call.body
      const { expires_in: expiresIn, scope, text, customer } = rest
      const { merchant } = callerOf(call)
      const request = { merchant, posId, posTid, customer, text, callbackUri, expiresIn }
      const requested = { ...request, scope: [...scope] }
      const rid = await needs.requestPermission(requested, contextOf(call))
      return { location: needs.links.full(detailPath(rid)), value: { id: rid } }
    },
  }),
  get(`${listPath}:rid/`, {
    isPrompt: true,
    summary: 'Read a permission request',
    params: ridParams,
    reply: permissionReply,
    handle: async (call) => {
      await needs.caughtUp()
      const { rid } = call.params
      const found = await needs.findPermission(callerOf(call).merchant, rid, call.at)
      const { request, customer, expiresAt } = found ?? refuse('resource_is_unknown')
      return {
        id: rid,
        pos_id: request.posId,
        pos_tid: request.posTid,
        customer,
        scope: formatScope(request.scope),
        text: request.text,
        callback_uri: request.callbackUri,
        date_expires: expiresAt,
      }
    },
  }),
  get(`${listPath}:rid/outcome/`, {
    isPrompt: true,
    summary: 'Read the outcome of a permission request',
    params: ridParams,
    reply: permissionOutcomeReply,
    handle: async (call) => {
      await needs.caughtUp()
      const found = await needs.findPermission(callerOf(call).merchant, call.params.rid, call.at)
      const row = found ?? refuse('resource_is_unknown')
      if (row.tokens) recordReading(needs, call, `permission-${call.params.rid}`)
      return permissionOutcomeView(
        row,
        await reportOfPermission(needs.links, needs.reportHolding)(row),
      )
    },
  }),
]
