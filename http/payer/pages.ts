import type { z } from 'zod'
import type { Call } from '../call.ts'
import { anyForm, type FormOf } from '../forms.ts'
import { route, type RawReply, type Route } from '../route.ts'
import type { SignedIn, Visits } from './session.ts'

type Params<Schema> = Schema extends z.ZodType ? z.output<Schema> : undefined

type Place<Schema> = {
  readonly path: string
  readonly summary: string
  readonly params?: Schema
  readonly errors: Readonly<Record<number, string>>
}

const common = {
  access: 'OPEN',
  group: 'Pages',
  replyTypes: ['text/html'],
} as const

/** Makes pages and form routes for signed-in payers. */
export const payerPages = (visits: Visits) => ({
  page: <Schema extends z.ZodObject | undefined = undefined>(
    place: Place<Schema>,
    show: (visitor: SignedIn, call: Call<Params<Schema>>) => Promise<RawReply>,
  ): Route =>
    route({
      ...common,
      ...place,
      method: 'GET',
      success: 'raw',
      handle: (call) =>
        visits.signedInPage(call, (visitor) => show(visitor, call as Call<Params<Schema>>)),
    }),

  form: <Asked extends z.ZodType, Schema extends z.ZodObject | undefined = undefined>(
    {
      hasNextPage = false,
      ...place
    }: Place<Schema> & { readonly ownForm: Asked; readonly hasNextPage?: boolean },
    answer: (
      visitor: SignedIn,
      call: Call<Params<Schema>, undefined, FormOf<Asked>>,
    ) => Promise<RawReply>,
  ): Route =>
    route({
      ...common,
      ...place,
      method: 'POST',
      success: hasNextPage ? 'raw' : 'raw otherwise',
      body: anyForm,
      takesForm: true,
      handle: (call) =>
        visits.signedInPage(call, (visitor) => {
          visits.checkForm(call, visitor, call.body)
          return answer(visitor, call as Call<Params<Schema>, undefined, FormOf<Asked>>)
        }),
    }),
})
