import { html } from 'hono/html'
import { z } from 'zod'
import type { Context } from '../../application/handle.ts'
import type { Credentials } from '../../application/payers.ts'
import { phoneDigits } from '../../application/people.ts'
import { pinPattern } from '../../domain/people/payer.ts'
import {
  plainProfile,
  profile as profileSchema,
  type Profile,
} from '../../domain/people/profile.ts'
import { refuse } from '../../domain/refusal.ts'
import type { Instant } from '../../domain/time.ts'
import { RequestError } from '../errors.ts'
import { route, searchOf, type Call, type RawReply, type Route } from '../route.ts'
import { codeField, phoneField, type Throttle } from './fields.ts'
import {
  anyForm,
  fieldOf,
  hiddenFields,
  problemNote,
  type Visitor,
  type Visits,
} from './session.ts'
import { ownPath } from './sign-in.ts'
import type { Texts } from './texts.ts'

export type SignUpNeeds = {
  readonly throttle: Throttle
  readonly seal: (text: string) => string
  readonly unseal: (sealed: string) => string | undefined
  readonly hashPin: (pin: string) => Promise<string>
  readonly newCodeSecret: () => string
  readonly codeUri: (secret: string, phone: string) => string
  readonly stepOfCode: (secret: string, code: string) => number | null
  readonly isPhoneTaken: (phone: string) => Promise<boolean>
  readonly registerPayer: (
    profile: Profile,
    credentials: Credentials,
    context: Context,
  ) => Promise<string>
  /** A QR code as a data URL. */
  readonly qrImage: { readonly dataUrl: (text: string) => Promise<string> }
}

/** Nothing is stored of somebody until they have shown that their authenticator app works. */
const registration = z.object({
  profile: profileSchema,
  pinHash: z.string(),
  codeSecret: z.string(),
  until: z.int(),
})
type Registration = z.output<typeof registration>
const registrationLifetimeMs = 900_000

type Typed = { readonly phone: string; readonly name: string; readonly pin: string }

const whatIsWrong = (texts: Texts, { phone, name, pin }: Typed): string => {
  if (name === '') return texts.wrongName
  if (phoneDigits(phone) === undefined) return texts.wrongPhone
  return pinPattern.test(pin) ? texts.wrongInput : texts.wrongNewPin
}

/** Making an account, in two steps: who it is, then the code of a new authenticator. */
export const makeSignUp = (needs: SignUpNeeds) => ({
  /** @throws Refusal payer_exists, sign_in_is_locked; ZodError never: undefined for what cannot be. */
  begin: async (
    fields: Typed,
    { at, request }: Call,
  ): Promise<(Registration & { readonly sealed: string; readonly uri: string }) | undefined> => {
    const address = request.remoteAddress ?? ''
    needs.throttle.check(address, at)
    const phone = phoneDigits(fields.phone) ?? ''
    const read = profileSchema.safeParse(plainProfile(fields.name, phone))
    if (!read.success || !pinPattern.test(fields.pin)) return undefined
    // It tells who has an account, so it is told only a few times.
    needs.throttle.count(address, at)
    if (await needs.isPhoneTaken(phone)) return refuse('payer_exists')
    const codeSecret = needs.newCodeSecret()
    const pinHash = await needs.hashPin(fields.pin)
    const until = at + registrationLifetimeMs
    const data = { profile: read.data, pinHash, codeSecret, until }
    const sealed = needs.seal(JSON.stringify(data))
    return { ...data, sealed, uri: needs.codeUri(codeSecret, phone) }
  },
  read: (sealed: string, at: Instant): Registration | undefined => {
    const text = needs.unseal(sealed)
    const read = text === undefined ? undefined : registration.safeParse(JSON.parse(text))
    return read?.success && at < read.data.until ? read.data : undefined
  },
  /** Answers the new payer's id; undefined for a wrong code. */
  finish: async (known: Registration, code: string, call: Call): Promise<string | undefined> => {
    const { profile, pinHash, codeSecret } = known
    needs.throttle.check(call.request.remoteAddress ?? '', call.at)
    if (needs.stepOfCode(codeSecret, code.replaceAll(' ', '')) === null) {
      needs.throttle.count(call.request.remoteAddress ?? '', call.at)
      return undefined
    }
    const { at, requestId: correlationId } = call
    const context = { at, merchant: null, actor: 'payer', correlationId }
    return needs.registerPayer(profile, { pinHash, codeSecret }, context)
  },
})

/** The pages of signing up. */
export const signUpRoutes = (needs: SignUpNeeds, visits: Visits): Route[] => {
  const signUp = makeSignUp(needs)
  const nextOf = (call: Call) => ownPath(searchOf(call).get('next'))
  const actionOf = (call: Call) => `/payer/sign-up?next=${encodeURIComponent(nextOf(call))}`

  const whoForm = (
    visitor: Visitor,
    call: Call,
    { name, phone }: Pick<Typed, 'name' | 'phone'>,
    problem?: string,
  ): Promise<RawReply> => {
    const { texts, csrf } = visitor
    return visits.show(visitor, {
      title: texts.signUp,
      status: problem === undefined ? 200 : 400,
      body: html`<form class="card" method="post" action="${actionOf(call)}">
        <h1>${texts.signUp}</h1>
        ${problemNote(problem)} ${hiddenFields({ csrf })}
        <label for="name">${texts.name}</label>
        <input id="name" name="name" autocomplete="name" maxlength="200" required value="${name}" />
        ${phoneField(texts, phone)}
        <label for="pin">${texts.pin}</label>
        <input
          id="pin"
          name="pin"
          type="password"
          inputmode="numeric"
          autocomplete="new-password"
          pattern="[0-9]{4,12}"
          required
          aria-describedby="pin-hint"
        />
        <p id="pin-hint" class="quiet small">${texts.pinHint}</p>
        <div class="actions"><button>${texts.continue}</button></div>
      </form>`,
    })
  }

  const codeForm = async (
    visitor: Visitor,
    call: Call,
    { codeSecret, profile }: Registration,
    sealed: string,
    problem?: string,
  ): Promise<RawReply> => {
    const { texts, csrf } = visitor
    const uri = needs.codeUri(codeSecret, profile.phone)
    return visits.show(visitor, {
      title: texts.signUp,
      status: problem === undefined ? 200 : 400,
      body: html`<form class="card" method="post" action="${actionOf(call)}">
        <h1>${texts.signUp}</h1>
        ${problemNote(problem)} ${hiddenFields({ csrf, registration: sealed })}
        <p>${texts.keep}</p>
        <p class="qr">
          <img src="${await needs.qrImage.dataUrl(uri)}" alt="" width="240" height="240" />
        </p>
        <p>
          <a href="${uri}"><code>${codeSecret}</code></a>
        </p>
        ${codeField(texts)}
        <div class="actions"><button>${texts.signUp}</button></div>
      </form>`,
    })
  }

  const advance = async (
    visitor: Visitor,
    call: Call<unknown, unknown, z.output<typeof anyForm>>,
  ) => {
    const form = call.body
    const { texts } = visitor
    visits.checkForm(call, visitor, form)
    const sealed = fieldOf(form, 'registration')
    if (sealed === '') {
      const [phone, name] = [fieldOf(form, 'phone'), fieldOf(form, 'name')]
      const typed = { phone, name, pin: fieldOf(form, 'pin') }
      const begun = await signUp.begin(typed, call)
      return begun
        ? codeForm(visitor, call, begun, begun.sealed)
        : whoForm(visitor, call, typed, whatIsWrong(texts, typed))
    }
    const known = signUp.read(sealed, call.at)
    if (!known) throw new RequestError(400, texts.again)
    const payer = await signUp.finish(known, fieldOf(form, 'code'), call)
    if (payer === undefined) return codeForm(visitor, call, known, sealed, texts.wrongCode)
    return visits.go(visitor, `/payer/sign-in?created&next=${encodeURIComponent(nextOf(call))}`)
  }

  return [
    route({
      method: 'GET',
      path: '/payer/sign-up',
      access: 'OPEN',
      group: 'Pages',
      summary: 'Make an account',
      success: 'raw',
      replyTypes: ['text/html'],
      handle: (call) =>
        visits.page(call, (visitor) => whoForm(visitor, call, { name: '', phone: '' })),
    }),
    route({
      method: 'POST',
      path: '/payer/sign-up',
      access: 'OPEN',
      group: 'Pages',
      summary:
        'Make an account: name, phone number and PIN first, then the code of the new authenticator',
      body: anyForm,
      takesForm: true,
      success: 'raw',
      replyTypes: ['text/html'],
      handle: (call) => visits.page(call, (visitor) => advance(visitor, call)),
    }),
  ]
}
