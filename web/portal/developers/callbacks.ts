import { z } from 'zod'
import { callbackSecrets, merchants } from '../../../domain/aggregates.ts'
import type { Context, Handle } from '../../../application/handle.ts'
import { mayDo } from '../../../domain/merchant/staff-roles.ts'
import { refuse } from '../../../domain/refusal.ts'
import { searchOf, type Call } from '../../../http/call.ts'
import { callbackUriText } from '../../../http/addresses.ts'
import { fieldOf, type FormOf } from '../../../http/forms.ts'
import { anyText, plainForm, typed } from '../../ui/fields.tsx'
import type { Visits } from '../../payer/session.tsx'
import type { Route } from '../../../http/route.ts'
import { contextOfStaff, type PortalNeeds, type PageOrReply } from '../guard.ts'
import type { CallbackMessageRow } from '../../../projections/callback-message-table.ts'
import type { PortalVisitor } from '../page.tsx'
import { portalPages, shopParams } from '../pages.ts'
import {
  callbackListPage,
  callbacksPath,
  failedInHour,
  type CallbackListQuery,
  callbackFilters,
} from './callback-list.tsx'
import { askCode, type AskCode } from './code-page.tsx'
import { callbackPage, type CallbackPageNeeds } from './callback-page.tsx'
import { doneIn, textsOf } from './parts.tsx'

export type PortalCallbackNeeds = PortalNeeds &
  CallbackPageNeeds & {
    readonly handle: Handle
    readonly retryCallbacks: (
      rows: readonly CallbackMessageRow[],
      context: Context,
    ) => Promise<void>
    readonly sendTestCallback: (uri: string, context: Context) => Promise<void>
  }

const listForm = plainForm.extend({
  change: z
    .enum(['rotate', 'test', 'address', 'retry_hour'])
    .meta({ description: 'Hidden in the form: what is done.' }),
  code: typed('A one-time code, to replace the secret.').optional(),
  uri: typed('Where the test message goes.', 'https://shop.example/callback').optional(),
  hour: typed('The hour since 1970 of the messages that are sent again.', '525900').optional(),
  own_uri: typed('Where goes what has no address of its own; empty for nowhere.').optional(),
})

const oneForm = plainForm.extend({ change: z.literal('retry') })

const place = { action: 'see_developers', area: 'developers' } as const

const listPath = '/portal/:merchant/developers/callbacks'

const onePath = `${listPath}/:message`

const oneParams = shopParams.extend({
  message: z.string().max(100).meta({ description: 'The id of the message, as in `meta`.' }),
})

const doneTexts = {
  saved: 'saved',
  rotated: 'isRotated',
  test: 'isTestSent',
  retried: 'isRetried',
  replayed: 'isReplayed',
} as const

type ListCall = Call<{ readonly merchant: string }, undefined, FormOf<typeof listForm>>

const listQuery = (visitor: PortalVisitor, call: Call) => {
  const search = searchOf(call)
  const before = Number(search.get('before') || Number.MAX_SAFE_INTEGER)
  const isSecretShown = search.has('secret')
  if (isSecretShown && !mayDo(visitor.me.terms, 'change_callbacks')) refuse('role_forbids_it')
  return {
    at: call.at,
    isSecretShown,
    done: doneIn(visitor, search, doneTexts),
    status: callbackFilters.find((one) => one === search.get('status')),
    before: Number.isSafeInteger(before) ? before : Number.MAX_SAFE_INTEGER,
  }
}

const changing = (needs: PortalCallbackNeeds, visits: Visits, ask: AskCode) => {
  const again = (
    visitor: PortalVisitor,
    call: ListCall,
    typed: Pick<CallbackListQuery, 'typed' | 'typedAddress'>,
    field: string,
  ) => {
    const problems = { [field]: textsOf(visitor).wrongAddress }
    return callbackListPage(needs, visitor, { ...listQuery(visitor, call), ...typed, problems })
  }

  return async (visitor: PortalVisitor, call: ListCall): Promise<PageOrReply> => {
    const { merchant } = visitor.shop
    const context = contextOfStaff(call, visitor)
    const { at } = call
    if (fieldOf(call.body, 'change') === 'rotate') {
      const question = await ask(visitor, call, { path: callbacksPath(merchant) })
      if (question) return question
      await needs.handle(callbackSecrets, merchant, { type: 'RotateCallbackSecret', at }, context)
      return visits.go(visitor, callbacksPath(merchant, '?secret&done=rotated'))
    }
    if (fieldOf(call.body, 'change') === 'address') {
      const typed = fieldOf(call.body, 'own_uri')
      const callbackUri = typed === '' ? null : callbackUriText.safeParse(typed).data
      if (callbackUri === undefined) return again(visitor, call, { typedAddress: typed }, 'own_uri')
      const command = { type: 'Change', changes: { callbackUri } } as const
      await needs.handle(merchants, merchant, command, context)
      return visits.go(visitor, callbacksPath(merchant, '?done=saved'))
    }
    if (fieldOf(call.body, 'change') === 'retry_hour') {
      const rows = failedInHour(needs, merchant, Number(fieldOf(call.body, 'hour')))
      await needs.retryCallbacks(rows, context)
      return visits.go(visitor, callbacksPath(merchant, '?status=failed&done=replayed'))
    }
    if (fieldOf(call.body, 'change') !== 'test') return refuse('resource_is_unknown')
    if (visitor.shop.isDisabled) return refuse('merchant_is_disabled')
    const uri = fieldOf(call.body, 'uri')
    if (callbackUriText.safeParse(uri).success) {
      await needs.sendTestCallback(uri, context)
      return visits.go(visitor, callbacksPath(merchant, '?done=test'))
    }
    return again(visitor, call, { typed: uri }, 'uri')
  }
}

/** Callback messages of a merchant, and the secret that signs them. */
export const portalCallbackRoutes = (needs: PortalCallbackNeeds, visits: Visits): Route[] => {
  const { page, form, confirm } = portalPages(needs, visits)
  const findIn = ({ shop }: PortalVisitor, message: string) => {
    const row = needs.callbackMessages.find(message)
    return row?.merchant === shop.merchant ? row : refuse('resource_is_unknown')
  }
  const ownQuery = z.object({
    status: z.enum(callbackFilters).optional(),
    before: anyText('Where the page before ended.'),
    secret: anyText('Shows the secret that signs.'),
    done: anyText('What was done.'),
  })
  return [
    page({ ...place, path: listPath, summary: 'Callback messages', ownQuery }, (visitor, call) =>
      callbackListPage(needs, visitor, listQuery(visitor, call)),
    ),
    form(
      {
        ...place,
        path: listPath,
        action: 'change_callbacks',
        hasNextPage: true,
        summary: 'Replace the secret, set the own address, send a test or all failed of an hour',
        ownForm: listForm,
      },
      changing(needs, visits, askCode(confirm)),
    ),
    page(
      { ...place, path: onePath, params: oneParams, summary: 'A callback with its attempts' },
      (visitor, call) => {
        const done = doneIn(visitor, searchOf(call), doneTexts)
        return callbackPage(needs, visitor, findIn(visitor, call.params.message), {
          call: call as Call,
          done,
        })
      },
    ),
    form(
      {
        ...place,
        path: onePath,
        params: oneParams,
        action: 'change_callbacks',
        summary: 'Send a callback again now',
        ownForm: oneForm,
      },
      async (visitor, call) => {
        const row = findIn(visitor, call.params.message)
        await needs.retryCallback(row, contextOfStaff(call, visitor))
        return visits.go(visitor, callbacksPath(visitor.shop.merchant, `/${row.id}?done=retried`))
      },
    ),
  ]
}
