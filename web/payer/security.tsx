import { Actions, Done, Form, Hidden, Link, Wrong, type Html, List } from '../ui/components.tsx'
import { Refusal } from '../../domain/refusal.ts'
import { contextOfPayer, searchOf, type Call } from '../../http/call.ts'
import { fieldOf, compactFieldOf, type FormOf } from '../../http/forms.ts'
import type { RawReply, Route } from '../../http/route.ts'
import { authenticators, type AccountNeeds, accountWork, type Who } from './account-work.ts'
import { devicesHtml, type DevicesNeeds } from './devices.tsx'
import { accountAsks, type securityForm, pageAsks } from './page-documentation.ts'
import { payerPages } from './pages.ts'
import { type SignedIn, type Visits } from './session.tsx'
import { isNewPin } from '../../domain/people/payer.ts'
import { recoveryCodesHtml } from './recovery-codes.tsx'
import { numberCodeField, phoneField, Pin, Field } from '../ui/fields.tsx'
import { languageLinks } from '../ui/page.tsx'
import { authenticatorHtml, type Authenticator } from './sign-up-forms.tsx'
import type { Texts } from '../ui/texts.ts'

const changes = ['pin', 'authenticator', 'recovery_codes', 'number', 'close'] as const

type ChangeName = (typeof changes)[number]

const titleOf = (texts: Texts, change: ChangeName): string =>
  ({
    pin: texts.changePin,
    authenticator: texts.changeAuthenticator,
    recovery_codes: texts.newCodes,
    number: texts.changeNumber,
    close: texts.close,
  })[change]

/** Both factors, asked for again. */
const factorFields = (texts: Texts): Html => [
  <Pin name="pin" label={texts.oldPin} autocomplete="current-password" />,
  <Field
    name="code"
    label={texts.codeOrRecovery}
    hint={texts.codeOrRecoveryHint}
    autocomplete="one-time-code"
    autocapitalize="none"
    spellcheck={false}
    maxlength={30}
    required
  />,
]

type ChangeForm = {
  readonly change: ChangeName
  readonly problem?: string | undefined
  /** The new authenticator of the form before. */
  readonly sealed?: string
  readonly authenticator?: Authenticator & { readonly sealed: string }
  /** What was sent to the new number. */
  readonly proof?: string | undefined
}

const fieldsOf = (visitor: SignedIn, form: ChangeForm): Html => {
  const { texts } = visitor
  const { change, authenticator, proof } = form
  const factors = factorFields(texts)
  switch (change) {
    case 'pin':
      return [
        factors,
        <Pin
          name="new_pin"
          label={texts.newPin}
          hint={texts.pinHint}
          autocomplete="new-password"
        />,
      ]
    case 'authenticator':
      return [
        authenticator ? authenticatorHtml(visitor, authenticator) : '',
        <Field
          name="new_code"
          label={texts.newCode}
          inputmode="numeric"
          autocomplete="off"
          maxlength={30}
          required
        />,
        factors,
      ]
    case 'recovery_codes':
      return [<p>{texts.newCodesWhat}</p>, factors]
    case 'number':
      return proof === undefined
        ? phoneField({ ...texts, phone: texts.newNumber }, 'tel')
        : [<p>{texts.newNumberWhat}</p>, numberCodeField(texts), factors]
    case 'close':
      return [<p>{texts.closeWhat}</p>, factors]
  }
}

const changeFormHtml = (visitor: SignedIn, form: ChangeForm): Html => {
  const { texts, csrf } = visitor
  const { change, problem, authenticator, proof } = form
  const hidden = {
    csrf,
    change,
    ...(authenticator && { authenticator: authenticator.sealed }),
    ...(proof !== undefined && { proof }),
  }
  const title = titleOf(texts, change)
  return (
    <form class="card" method="post" action="/payer/security">
      <h1>{title}</h1>
      <Wrong text={problem} />
      <Hidden fields={hidden} />
      {fieldsOf(visitor, form)}
      <Actions
        kind={change === 'close' ? 'danger' : ''}
        button={change === 'close' ? title : texts.continue}
        back="/payer/security"
        cancel={texts.cancel}
      />
    </form>
  )
}

type SecurityFormCall = Call<undefined, undefined, FormOf<typeof securityForm>>

const whoIs = ({ session: { payer, digest: session }, known }: SignedIn): Who => ({
  payer,
  session,
  known,
})

type Done = { readonly wrong: string; readonly proof?: string } | RawReply

/** Carries a change out; answers what is wrong, or the page after it. */
const carryOut = (needs: AccountNeeds, visits: Visits) => {
  const work = accountWork(needs)
  const done = (visitor: SignedIn) => visits.go(visitor, '/payer/security?done')

  const changeNumber = async (visitor: SignedIn, call: SecurityFormCall): Promise<Done> => {
    const { texts } = visitor
    const { body } = call
    const proof = fieldOf(body, 'proof')
    const who = whoIs(visitor)
    if (proof === '') {
      const phone = visits.phoneOf(fieldOf(body, 'phone'))
      if (phone === undefined) return { wrong: texts.wrongPhone }
      return { wrong: '', proof: work.askNumber(who, phone, texts, call) }
    }
    const factors = { pin: fieldOf(body, 'pin'), code: fieldOf(body, 'code') }
    const proved = { proof, numberCode: fieldOf(body, 'number_code') }
    return (await work.changeNumber(who, proved, factors, call))
      ? done(visitor)
      : { wrong: texts.wrongNumberCode, proof }
  }

  return async (visitor: SignedIn, change: ChangeName, call: SecurityFormCall): Promise<Done> => {
    const { texts } = visitor
    const { body } = call
    const who = whoIs(visitor)
    const factors = { pin: fieldOf(body, 'pin'), code: fieldOf(body, 'code') }
    switch (change) {
      case 'pin': {
        const newPin = fieldOf(body, 'new_pin')
        if (!isNewPin(newPin)) return { wrong: texts.wrongNewPin }
        await work.changePin(who, newPin, factors, call)
        return done(visitor)
      }
      case 'authenticator': {
        const authenticator = {
          sealed: fieldOf(body, 'authenticator'),
          newCode: compactFieldOf(body, 'new_code'),
        }
        const isRight = await work.changeAuthenticator(who, authenticator, factors, call)
        return isRight ? done(visitor) : { wrong: texts.wrongCode }
      }
      case 'recovery_codes': {
        const codes = await work.newRecoveryCodes(who, factors, call)
        const codesHtml = recoveryCodesHtml(visitor, codes, '/payer/security')
        return visits.show(visitor, { title: texts.codesTitle, body: codesHtml })
      }
      case 'number':
        return changeNumber(visitor, call)
      case 'close':
        await work.close(who, factors, call)
        return visits.go(visitor, '/payer/sign-in?closed', [visits.noCookie])
    }
  }
}

type SecurityNeeds = AccountNeeds &
  DevicesNeeds & {
    readonly qrImage: { readonly dataUrl: (text: string) => Promise<string> }
  }

/** A wrong factor is told on the form; other refusals have pages of their own. */
const isWrongFactor = (error: unknown): boolean =>
  error instanceof Refusal && error.code === 'sign_in_is_wrong'

const everywhereForm = ({ texts, csrf }: SignedIn): Html => (
  <Form action="/payer/security" hidden={{ csrf, change: 'everywhere' }}>
    <Actions kind="second" button={texts.everywhere} />
  </Form>
)

/** What can be changed, and the sessions. */
const overview =
  (needs: SecurityNeeds, visits: Visits) => async (visitor: SignedIn, call: Call) => {
    await needs.caughtUp()
    const { texts, session } = visitor
    const search = searchOf(call)
    const done = search.has('everywhere') ? texts.everywhereDone : texts.changed
    const devices = needs.devicesOf(session.payer, call.at)
    const isDone = search.has('done') || search.has('everywhere')
    return visits.show(visitor, {
      title: texts.security,
      body: [
        isDone && <Done text={done} />,
        <div class="card">
          <h1>{texts.security}</h1>
          <List
            kind="list"
            items={changes.map((change) => (
              <Link
                class="row link"
                href={`/payer/security?change=${change}`}
                text={titleOf(texts, change)}
              />
            ))}
          />
        </div>,
        <div class="card">
          <h2>{texts.devices}</h2>
          {devicesHtml(visitor, devices)}
          {devices.length > 1 && everywhereForm(visitor)}
        </div>,
        <div class="card">
          <h2>{texts.language}</h2>
          <List kind="list" items={languageLinks(visitor.language, 'row link')} />
        </div>,
      ],
    })
  }

/** Shows the form of a change, with a new authenticator where one is connected. */
const formPage = (needs: SecurityNeeds, visits: Visits) => {
  const { make, read } = authenticators(needs)
  return async (visitor: SignedIn, call: Call, form: ChangeForm): Promise<RawReply> => {
    const { texts, session } = visitor
    const { change, problem } = form
    let current = form
    if (change === 'authenticator') {
      const { sealed = '' } = form
      const before = read(sealed, call.at)
      const made = before === undefined ? make(call.at) : { codeSecret: before, sealed }
      const { phone = '' } = (await needs.findProfile(session.payer)) ?? {}
      const uri = needs.codeUri(made.codeSecret, phone)
      const image = await needs.qrImage.dataUrl(uri)
      current = { ...form, authenticator: { ...made, uri, image } }
    }
    return visits.show(visitor, {
      title: titleOf(texts, change),
      status: problem === undefined ? 200 : 400,
      body: changeFormHtml(visitor, current),
    })
  }
}

export const payerSecurityRoutes = (needs: SecurityNeeds, visits: Visits): Route[] => {
  const { page, form } = payerPages(visits)
  const show = overview(needs, visits)
  const showForm = formPage(needs, visits)
  const change = carryOut(needs, visits)
  const named = (name: string | null) => changes.find((one) => one === name)

  const answer = async (visitor: SignedIn, call: SecurityFormCall): Promise<RawReply> => {
    const { session, texts } = visitor
    const name = named(fieldOf(call.body, 'change'))
    if (name === undefined) {
      const context = contextOfPayer(call, session.payer)
      await needs.signOutEverywhere(session.payer, session.digest, context)
      return visits.go(visitor, '/payer/security?everywhere')
    }
    const proof = fieldOf(call.body, 'proof') || undefined
    const sealed = fieldOf(call.body, 'authenticator')
    try {
      const result = await change(visitor, name, call)
      if (!('wrong' in result)) return result
      return showForm(visitor, call, {
        change: name,
        problem: result.wrong || undefined,
        proof: result.proof,
        sealed,
      })
    } catch (error) {
      if (!isWrongFactor(error)) throw error
      return showForm(visitor, call, { change: name, problem: texts.wrongFactors, proof, sealed })
    }
  }

  return [
    page(
      { path: '/payer/security', summary: 'How the payer signs in, and where', ...pageAsks.list },
      (visitor, call) => {
        const name = named(searchOf(call).get('change'))
        return name === undefined ? show(visitor, call) : showForm(visitor, call, { change: name })
      },
    ),
    form(
      {
        path: '/payer/security',
        summary: 'Change PIN, authenticator, recovery codes or number, end sessions, or close',
        ...accountAsks.security,
        hasNextPage: true,
      },
      answer,
    ),
  ]
}
