import type { z } from 'zod'
import { jsonEquals } from '../../domain/json-equality.ts'
import { refuse } from '../../domain/refusal.ts'
import type { Call } from '../../http/call.ts'
import { partsOf, type Part } from '../../http/forms.ts'
import { ofForm, ofPage, type FormCall, type PageCall } from '../payer/pages.ts'
import type { Visits } from '../payer/session.tsx'
import { route, type Route } from '../../http/route.ts'
import type { FramedPage } from './frame.tsx'
import {
  guarding,
  isReply,
  type House,
  type View,
  type StaffPageNeeds,
  type StaffVisitor,
} from './guard.tsx'

type Place<Schema, Action, Area> = {
  readonly path: string
  readonly summary: string
  readonly params?: Schema
  /** Who may not do it gets a 403. */
  readonly action: Action
  /** What the menu marks, if any. */
  readonly area?: Area
  readonly ownQuery?: z.ZodObject
  /** Of a file to download; else text/html. */
  readonly replyTypes?: readonly string[]
  readonly errors?: Readonly<Record<number, string>>
}

const errorsOf = (missing: string) => {
  const ofPages = {
    303: 'Not signed in: on to the sign-in.',
    403: 'The role does not allow it.',
    404: missing,
  }
  const ofForms = {
    ...ofPages,
    303: 'Done, or not signed in.',
    400: 'Something is missing or wrong.',
    409: 'It cannot be done now.',
  }
  return { ofPages, ofForms }
}

/**
 * Makes pages and forms of a staff. Each form posts to the path of a page.
 * Long because it is the makers of three kinds of routes that share one guard.
 */
export const staffPages = <
  Visitor extends StaffVisitor,
  Page extends FramedPage,
  Action,
  Area,
  Params extends z.ZodObject | undefined = undefined,
>(
  needs: StaffPageNeeds,
  visits: Visits,
  /** `params` are those of every path that says no others. */
  house: House<Visitor, Page, Action, Area> & { readonly params?: Params },
) => {
  const { inLobby, inHouse, mayDo } = guarding(needs, visits, house)
  const { contextOf, params } = house
  const usual = { group: house.group, ...(params && { params }) }
  const { ofPages, ofForms } = errorsOf(house.missing)
  return {
    inLobby,
    page: <Schema extends z.ZodObject | Params = Params>(
      { action, area, errors, ...place }: Place<Schema, Action, Area>,
      show: (visitor: Visitor, call: PageCall<Schema>) => Promise<View<Page>>,
    ): Route =>
      route({
        ...ofPage,
        ...usual,
        ...place,
        errors: { ...ofPages, ...errors },
        handle: (call) =>
          inHouse(call, { action, area }, (visitor) => show(visitor, call as PageCall<Schema>)),
      }),
    /** The form must come from our page and belong to this person. */
    form: <Fields extends z.ZodType, Schema extends z.ZodObject | Params = Params>(
      {
        action,
        area,
        errors,
        hasNextPage = false,
        ...place
      }: Place<Schema, Action, Area> & {
        readonly ownForm: Fields
        readonly hasNextPage?: boolean
      },
      carryOut: (visitor: Visitor, call: FormCall<Schema, Fields>) => Promise<View<Page>>,
    ): Route =>
      route({
        ...ofForm(hasNextPage),
        ...usual,
        ...place,
        errors: { ...ofForms, ...errors },
        handle: (call) =>
          inHouse(call, { action, area }, (visitor) => {
            visits.checkForm(call, visitor, call.body)
            return carryOut(visitor, call as FormCall<Schema, Fields>)
          }),
      }),
    /** A form with a file; its fields are parts. The form must come from our page. */
    upload: <Schema extends z.ZodObject | Params = Params>(
      {
        action,
        area,
        errors,
        largest,
        fileType,
        ...place
      }: Place<Schema, Action, Area> & {
        /** Bytes of the whole body. */
        readonly largest: number
        readonly fileType: string
      },
      carryOut: (
        visitor: Visitor,
        parts: readonly Part[],
        call: PageCall<Schema>,
      ) => Promise<View<Page>>,
    ): Route =>
      route({
        ...ofPage,
        method: 'POST',
        isSafe: false,
        ...usual,
        ...place,
        errors: { ...ofForms, ...errors },
        upload: {
          admits: () => true,
          // Strangers take no room.
          mayBeSent: (call) => mayDo(call, action),
          of: () => place.path,
          largest,
          parts: [{ type: 'text/plain' }, { type: fileType }],
        },
        handle: (call) =>
          inHouse(call, { action, area }, (visitor) => {
            const { body, header } = call.request
            const parts = partsOf(body ?? new Uint8Array(), header('content-type'))
            const csrf = parts.find(({ name }) => name === 'csrf')?.content
            visits.checkForm(call, visitor, { csrf: new TextDecoder().decode(csrf) })
            return carryOut(visitor, parts, call as PageCall<Schema>)
          }),
      }),
    /** Whose page follows along: for as long as they are signed in, and in the same role. */
    followerOf: (visitor: Visitor, call: Call) => ({
      from: call.request.remoteAddress ?? '',
      person: visitor.session.payer,
      mayStill: async (): Promise<boolean> => {
        if (!(await visits.goesOn(visitor.session.digest, needs.now()))) return false
        const staff = await house.enter(visitor, call)
        return !isReply(staff) && jsonEquals(staff.me.terms, visitor.me.terms)
      },
    }),
    /** The second factor again. @throws Refusal second_factor_is_needed, sign_in_is_wrong */
    confirm: async (visitor: Visitor, code: string, call: Call): Promise<void> => {
      if (code === '') return refuse('second_factor_is_needed')
      const { session, known } = visitor
      const context = { ...contextOf(call, visitor), actor: `payer:${session.payer}` }
      await needs.confirmPayer(session.payer, { code, known }, context)
    },
  }
}
