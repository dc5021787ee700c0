import { z } from 'zod'
import { applications } from '../../../domain/aggregates.ts'
import { mayDo } from '../../../domain/merchant/staff-roles.ts'
import { refuse } from '../../../domain/refusal.ts'
import { streamOf } from '../../../domain/stream.ts'
import { searchOf } from '../../../http/call.ts'
import { anyText } from '../../ui/fields.tsx'
import type { Visits } from '../../payer/session.tsx'
import type { Route } from '../../../http/route.ts'
import type { PortalNeeds } from '../guard.ts'
import type { PortalVisitor } from '../page.tsx'
import { portalPages, shopParams } from '../pages.ts'
import { applicationChanges, type ApplicationChangeNeeds } from './application-changes.ts'
import { applicationForm, newApplicationForm } from './application-fields.tsx'
import { applicationListPage, type ApplicationRow } from './application-list.tsx'
import { applicationPage } from './application-page.tsx'
import { askCode } from './code-page.tsx'
import { newApplicationPage } from './new-application.tsx'
import { doneIn } from './parts.tsx'

export type PortalApplicationNeeds = PortalNeeds &
  ApplicationChangeNeeds & {
    readonly applications: {
      find(stream: string): ApplicationRow | undefined
      list(merchant: string, before: number, limit: number): readonly ApplicationRow[]
    }
  }

const place = { action: 'see_developers', area: 'developers' } as const

const listPath = '/portal/:merchant/developers/applications'

const onePath = `${listPath}/:client`

const oneParams = shopParams.extend({
  client: z
    .string()
    .regex(/^[a-zA-Z0-9_-]{1,64}$/)
    .meta({ description: 'The client id.' }),
})

const listedAtOnce = 100

const doneTexts = {
  saved: 'saved',
  removed: 'applicationRemoved',
  disabled: 'isDisabledNow',
  enabled: 'isEnabledNow',
} as const

const listOf = (needs: PortalApplicationNeeds, visitor: PortalVisitor, search: URLSearchParams) => {
  const typed = Number(search.get('before') ?? Number.MAX_SAFE_INTEGER)
  const before = Number.isSafeInteger(typed) ? typed : Number.MAX_SAFE_INTEGER
  const found = needs.applications.list(visitor.shop.merchant, before, listedAtOnce + 1)
  const rows = found.slice(0, listedAtOnce)
  const older = found.length > listedAtOnce ? rows.at(-1)?.position : undefined
  return applicationListPage(visitor, rows, older, doneIn(visitor, search, doneTexts))
}

const emptyForm = { name: '', redirectUris: [], isPublic: false, isBound: false }

/** OAuth applications of a merchant: they are registered, get secrets, and end. */
export const portalApplicationRoutes = (needs: PortalApplicationNeeds, visits: Visits): Route[] => {
  const { page, form, confirm } = portalPages(needs, visits)
  const findIn = ({ shop }: PortalVisitor, client: string): ApplicationRow => {
    const row = needs.applications.find(streamOf(applications, client))
    return row?.data.merchant === shop.merchant ? row : refuse('resource_is_unknown')
  }
  const { add, change } = applicationChanges(needs, visits, askCode(confirm), findIn)
  return [
    page(
      {
        ...place,
        path: listPath,
        summary: 'OAuth applications',
        ownQuery: z.object({
          add: anyText('The form of a new application.'),
          before: anyText('Where the page before ended.'),
          done: anyText('What was done.'),
        }),
      },
      async (visitor, call) => {
        const search = searchOf(call)
        if (!search.has('add')) return listOf(needs, visitor, search)
        if (!mayDo(visitor.me.terms, 'change_applications')) return refuse('role_forbids_it')
        return newApplicationPage(visitor, { ...emptyForm, attempt: needs.newId() })
      },
    ),
    form(
      {
        ...place,
        path: listPath,
        action: 'change_applications',
        hasNextPage: true,
        summary: 'Register an application; its secret is shown this once',
        ownForm: newApplicationForm,
      },
      add,
    ),
    page(
      { ...place, path: onePath, params: oneParams, summary: 'An OAuth application' },
      async (visitor, call) => {
        const row = findIn(visitor, call.params.client)
        const done = doneIn(visitor, searchOf(call), doneTexts)
        return applicationPage(needs, visitor, row, { at: call.at, done })
      },
    ),
    form(
      {
        ...place,
        path: onePath,
        params: oneParams,
        action: 'change_applications',
        summary: 'Change an application: what is told of it, its secret, or that it is there',
        ownForm: applicationForm,
        hasNextPage: true,
      },
      (visitor, call) => change(visitor, findIn(visitor, call.params.client), call),
    ),
  ]
}
