import { z } from 'zod'
import { isNewPin } from '../../domain/people/payer.ts'
import type { Call } from '../../http/call.ts'
import { anyForm, compactFieldOf, fieldOf, type FormOf } from '../../http/forms.ts'
import type { RawReply, Route } from '../../http/route.ts'
import { fullName } from './api-fields.ts'
import { beginSession, type BeginSessionNeeds } from './begin-session.ts'
import type { Problems } from '../ui/fields.tsx'
import { pageAsks, type signUpForm } from './page-documentation.ts'
import { openPages } from './pages.ts'
import { sealing } from './sealing.ts'
import type { Visitor, Visits } from './session.tsx'
import { nothingTyped, signUpForms } from './sign-up-forms.tsx'
import { makeSignUp, type SealedRegistration, type SignUpNeeds, type Typed } from './sign-up.ts'
import type { Texts } from '../ui/texts.ts'

type FormCall = Call<unknown, unknown, FormOf<typeof signUpForm>>

/** Without scripts the PIN is typed twice. */
type TypedTwice = Omit<Typed, 'phone'> & {
  readonly pinAgain: string
  readonly phone: string | undefined
}

/** Keeps a typed PIN when another field is wrong. */
const keptPin = z.object({ pin: z.string(), browser: z.string(), until: z.int() })

const keptPinLifetimeMs = 900_000

const problemsOf = (texts: Texts, { phone, name, pin, pinAgain }: TypedTwice): Problems => ({
  ...(!fullName.safeParse(name).success && { name: texts.wrongName }),
  ...(phone === undefined && { phone: texts.wrongPhone }),
  ...(!isNewPin(pin) && { pin: texts.wrongNewPin }),
  ...(pinAgain !== '' && pinAgain !== pin && { pin: texts.wrongPinAgain }),
})

/** Sign-up pages. A new payer is signed in, and goes on to the page before. */
export const signUpRoutes = (needs: SignUpNeeds & BeginSessionNeeds, visits: Visits): Route[] => {
  const signUp = makeSignUp(needs)
  const keptPins = sealing(needs, keptPin)
  const begin = beginSession(needs, visits)
  const forms = signUpForms(needs, visits)

  const readKeptPin = (sealed: string, { browser }: Visitor, { at }: Call): string => {
    const read = sealed === '' ? undefined : keptPins.read(sealed, at)
    return read?.browser === browser ? read.pin : ''
  }

  const whoForm = (
    visitor: Visitor,
    call: Call,
    typed: Typed,
    problems: Problems = {},
  ): Promise<RawReply> => {
    const { pin } = typed
    const { browser } = visitor
    const isKept = problems['pin'] === undefined && pin !== ''
    const kept = { pin, browser, until: call.at + keptPinLifetimeMs }
    const keptPin = isKept ? keptPins.seal(kept) : undefined
    return forms.who(visitor, call, { ...typed, problems, keptPin })
  }

  const start = async (visitor: Visitor, call: FormCall): Promise<RawReply> => {
    const form = call.body
    const { texts } = visitor
    const [phone, name] = [fieldOf(form, 'phone'), fieldOf(form, 'name')]
    const pin = fieldOf(form, 'pin') || readKeptPin(fieldOf(form, 'kept_pin'), visitor, call)
    const typed = { phone, name, pin }
    const read = visits.phoneOf(phone)
    const problems = problemsOf(texts, {
      ...typed,
      phone: read,
      pinAgain: fieldOf(form, 'pin_again'),
    })
    const isWrong = Object.keys(problems).length > 0
    const known = { ...typed, phone: read ?? phone }
    const begun = isWrong ? undefined : await signUp.begin(known, texts, call)
    return begun
      ? forms.number(visitor, call, begun)
      : whoForm(visitor, call, typed, isWrong ? problems : { form: texts.wrongInput })
  }

  /** The code that was sent to the number. */
  const proveNumber = async (visitor: Visitor, call: FormCall, known: SealedRegistration) => {
    const { texts } = visitor
    const { body, at } = call
    if (fieldOf(body, 'again') !== '')
      return forms.number(visitor, call, signUp.askAgain(known, texts, call))
    const proved = await signUp.prove(known, fieldOf(body, 'number_code'), at)
    return proved
      ? forms.authenticator(visitor, call, proved)
      : forms.number(visitor, call, known, texts.wrongNumberCode)
  }

  const advance = async (visitor: Visitor, call: FormCall): Promise<RawReply> => {
    const form = call.body
    const { texts } = visitor
    visits.checkForm(call, visitor, form, 'browser')
    const sealed = fieldOf(form, 'registration')
    if (sealed === '') return start(visitor, call)
    const read = signUp.read(sealed, call.at)
    if (!read) return whoForm(visitor, call, nothingTyped, { form: texts.signUpTooLate })
    const known = { ...read, sealed }
    if (known.proof !== null) return proveNumber(visitor, call, known)
    const code = compactFieldOf(form, 'code')
    const finished = await signUp.finish(known, code, call)
    if ('wrong' in finished) return forms.authenticator(visitor, call, known, texts.wrongCode)
    const cookies = await begin(visitor, finished.payer, code, call)
    return forms.codes(visitor, call, finished.recoveryCodes, cookies)
  }

  return [
    openPages.get('/payer/sign-up', {
      summary: 'Make an account',
      handle: (call) => visits.page(call, (visitor) => whoForm(visitor, call, nothingTyped)),
    }),
    openPages.post('/payer/sign-up', {
      summary:
        'Make an account: name, number and PIN, the code sent to the number, then that of the ' +
        'new authenticator',
      body: anyForm,
      takesForm: true,
      ...pageAsks.signUp,
      handle: (call) => visits.page(call, (visitor) => advance(visitor, call)),
    }),
  ]
}
