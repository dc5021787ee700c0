import type { z } from 'zod'
import type { Call } from '../../http/call.ts'
import { anyForm, type FormOf } from '../../http/forms.ts'
import { route, type RawReply, type Route, routesOf } from '../../http/route.ts'
import type { SignedIn, Visits } from './session.tsx'

/** A call of a page or form, whose path holds what a schema says. */
export type PageCall<Schema> = Call<Schema extends z.ZodType ? z.output<Schema> : undefined>

export type FormCall<Schema, Fields extends z.ZodType> = Call<
  Schema extends z.ZodType ? z.output<Schema> : undefined,
  undefined,
  FormOf<Fields>
>

type Place<Schema> = {
  readonly path: string
  readonly ownQuery?: z.ZodObject
  readonly summary: string
  readonly params?: Schema
  readonly errors: Readonly<Record<number, string>>
}

const common = { access: 'OPEN', replyTypes: ['text/html'] } as const

/** What the routes of pages share. */
export const ofPage = { ...common, method: 'GET', success: 'raw' } as const

/** Pages and forms for whoever has not signed in. */
export const openPages = routesOf({ ...common, group: 'Pages', success: 'raw' })

/** What the routes of forms share. */
export const ofForm = (hasNextPage: boolean) =>
  ({
    ...common,
    method: 'POST',
    success: hasNextPage ? 'raw' : 'raw otherwise',
    body: anyForm,
    takesForm: true,
  }) as const

/** Makes pages and form routes for signed-in payers. */
export const payerPages = (visits: Visits) => ({
  page: <Schema extends z.ZodObject | undefined = undefined>(
    place: Place<Schema>,
    show: (visitor: SignedIn, call: PageCall<Schema>) => Promise<RawReply>,
  ): Route =>
    route({
      ...ofPage,
      group: 'Pages',
      ...place,
      handle: (call) =>
        visits.signedInPage(call, (visitor) => show(visitor, call as PageCall<Schema>)),
    }),

  form: <Fields extends z.ZodType, Schema extends z.ZodObject | undefined = undefined>(
    {
      hasNextPage = false,
      ...place
    }: Place<Schema> & { readonly ownForm: Fields; readonly hasNextPage?: boolean },
    answer: (visitor: SignedIn, call: FormCall<Schema, Fields>) => Promise<RawReply>,
  ): Route =>
    route({
      ...ofForm(hasNextPage),
      group: 'Pages',
      ...place,
      handle: (call) =>
        visits.signedInPage(call, (visitor) => {
          visits.checkForm(call, visitor, call.body)
          return answer(visitor, call as FormCall<Schema, Fields>)
        }),
    }),
})
