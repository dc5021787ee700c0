import { Actions, Button, Hidden, Link, MoreLink, Wrong, type Html } from '../ui/components.tsx'
import type { Call } from '../../http/call.ts'
import type { RawReply, RawStatus } from '../../http/route.ts'
import {
  codeField,
  numberCodeField,
  phoneField,
  pinFields,
  type Problems,
  Field,
} from '../ui/fields.tsx'
import { recoveryCodesHtml } from './recovery-codes.tsx'
import { type Visitor, type Visits } from './session.tsx'
import type { SealedRegistration, SignUpNeeds, Typed } from './sign-up.ts'
import { nextOf, signInPath, signUpPath } from './way-on.ts'
import { filled } from '../ui/words.tsx'

const steps = 3

/** What somebody types, and what was wrong with it. */
type WhoForm = Typed & {
  readonly problems?: Problems
  readonly status?: RawStatus
  /** The PIN, sealed, when only other fields are wrong. */
  readonly keptPin?: string | undefined
}

export const nothingTyped: Typed = { name: '', phone: '', pin: '' }

type Step = {
  readonly step: number
  readonly title: string
  readonly body: Html
  readonly after?: Html
  readonly status?: RawStatus
}

const stepPage =
  (visits: Visits) =>
  (
    visitor: Visitor,
    call: Call,
    { step, title, body, after = null, status = 200 }: Step,
  ): Promise<RawReply> =>
    visits.show(visitor, {
      title: visitor.texts.signUp,
      status,
      body: [
        <form class="card" method="post" action={signUpPath(nextOf(call))}>
          <p class="quiet small">{filled(visitor.texts.step, { step, steps })}</p>
          <h1>{title}</h1>
          {body}
        </form>,
        after,
      ],
    })

const whoStep = (visitor: Visitor, call: Call, form: WhoForm): Step => {
  const { texts, csrf } = visitor
  const { name, phone, keptPin, problems = {}, status = 400 } = form
  const hasProblem = Object.keys(problems).length > 0
  return {
    step: 1,
    title: texts.signUp,
    status: hasProblem ? status : 200,
    body: [
      hasProblem && <Wrong text={problems['form'] ?? texts.wrongSeveral} />,
      <Hidden fields={{ csrf, ...(keptPin !== undefined && { kept_pin: keptPin }) }} />,
      <Field
        name="name"
        label={texts.name}
        problem={problems['name']}
        autocomplete="name"
        maxlength={200}
        required
        value={name}
      />,
      phoneField(texts, 'tel', phone, problems['phone']),
      pinFields(texts, keptPin !== undefined, problems['pin']),
      <Actions button={texts.continue} />,
    ],
    after: <MoreLink href={signInPath(nextOf(call))} text={texts.haveAccount} />,
  }
}

const numberStep = (
  { texts, csrf }: Visitor,
  { profile, sealed }: SealedRegistration,
  problem: string | undefined,
): Step => ({
  step: 2,
  title: texts.numberTitle,
  status: problem === undefined ? 200 : 400,
  body: [
    <Hidden fields={{ csrf, registration: sealed }} />,
    <p>{filled(texts.numberWhat, { number: <b>+{profile.phone}</b> })}</p>,
    numberCodeField(texts, problem),
    <div class="actions">
      <button>{texts.continue}</button>
      <Button class="second" name="again" value="1" formnovalidate text={texts.newMessage} />
    </div>,
  ],
})

const authenticatorStep = (
  visitor: Visitor,
  { codeSecret, sealed }: SealedRegistration,
  authenticator: Pick<Authenticator, 'uri' | 'image'>,
  problem: string | undefined,
): Step => {
  const { texts, csrf } = visitor
  return {
    step: 3,
    title: texts.authenticatorTitle,
    status: problem === undefined ? 200 : 400,
    body: [
      <Hidden fields={{ csrf, registration: sealed }} />,
      authenticatorHtml(visitor, { codeSecret, ...authenticator }),
      codeField(texts, problem),
      <Actions button={texts.finishSignUp} />,
    ],
  }
}

/** The pages of sign-up, in their order. */
export const signUpForms = (
  { codeUri, qrImage }: Pick<SignUpNeeds, 'codeUri' | 'qrImage'>,
  visits: Visits,
) => {
  const showStep = stepPage(visits)
  type Known = SealedRegistration
  return {
    who: (visitor: Visitor, call: Call, form: WhoForm): Promise<RawReply> =>
      showStep(visitor, call, whoStep(visitor, call, form)),
    number: (visitor: Visitor, call: Call, known: Known, problem?: string): Promise<RawReply> =>
      showStep(visitor, call, numberStep(visitor, known, problem)),
    authenticator: async (
      visitor: Visitor,
      call: Call,
      known: Known,
      problem?: string,
    ): Promise<RawReply> => {
      const uri = codeUri(known.codeSecret, known.profile.phone)
      const image = await qrImage.dataUrl(uri)
      return showStep(visitor, call, authenticatorStep(visitor, known, { uri, image }, problem))
    },
    codes: (
      visitor: Visitor,
      call: Call,
      recoveryCodes: readonly string[],
      cookies: readonly string[],
    ): Promise<RawReply> =>
      visits.show(visitor, {
        title: visitor.texts.codesTitle,
        cookies,
        body: recoveryCodesHtml(visitor, recoveryCodes, nextOf(call)),
      }),
  }
}

/** `image` is a code that shows the link `uri`. */
export type Authenticator = Readonly<Record<'uri' | 'codeSecret' | 'image', string>>

/** How to connect an authenticator app: a code to scan, a link, a key to type. */
export const authenticatorHtml = (
  { texts }: Visitor,
  { uri, codeSecret, image }: Authenticator,
): Html => [
  <p>{texts.authenticatorWhat}</p>,
  <div class="qr computer">
    <h2>{texts.scanWithApp}</h2>
    <img src={image} alt={texts.scanWithApp} width="240" height="240" />
  </div>,
  <div class="actions narrow">
    <Link class="button" href={uri} text={texts.openAuthenticator} />
  </div>,
  <p class="quiet small">{texts.orTypeKey}</p>,
  <p class="copied">
    <code id="key">{codeSecret}</code>
    <Button
      type="button"
      class="second slim"
      data-copy="key"
      data-done={texts.copied}
      aria-live="polite"
      hidden
      text={texts.copyKey}
    />
  </p>,
  <p>{texts.thenType}</p>,
]
