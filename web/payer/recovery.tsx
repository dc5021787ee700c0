import { Actions, Hidden, Wrong, type Html } from '../ui/components.tsx'
import { isNewPin } from '../../domain/people/payer.ts'
import { type Call, contextOfPayer } from '../../http/call.ts'
import { anyForm, compactFieldOf, fieldOf, type FormOf } from '../../http/forms.ts'
import type { RawReply, Route } from '../../http/route.ts'
import { codeField, phoneField, Field, Pin, exact } from '../ui/fields.tsx'
import { accountAsks, type recoveryForm } from './page-documentation.ts'
import { openPages } from './pages.ts'
import { type Visitor, type Visits } from './session.tsx'
import { authenticatorHtml } from './sign-up-forms.tsx'
import { z } from 'zod'
import type { Recovered, Recovery, RecoveryFactors } from '../../application/recover.ts'
import { secondsAfter } from '../../domain/time.ts'
import type { CredentialNeeds } from './account-work.ts'
import { sealing } from './sealing.ts'
import type { Texts } from '../ui/texts.ts'

export type RecoveryWorkNeeds = CredentialNeeds & {
  readonly recovery: Recovery
  readonly hasAccount: (phone: string) => Promise<boolean>
}

export const recovered = z.object({
  purpose: z.literal('recovered'),
  payer: z.string(),
  before: z.string(),
  keepsPin: z.boolean(),
  keepsAuthenticator: z.boolean(),
  codeStep: z.int().nullable(),
  recoveryHash: z.string().nullable(),
  number: z.object({ phone: z.string(), askedAt: z.int() }).nullable(),
  /** Of the new authenticator, if one is needed. */
  codeSecret: z.string(),
  until: z.int(),
})

export type RecoveredAccount = Recovered & { readonly codeSecret: string }

export const recoveredLifetime = 900

export type Renewal = {
  readonly newPin: string
  readonly newCode: string
  readonly known?: string | undefined
}

/** The way back into an account: proofs first, then what replaces the rest. */
export const recoveryWork = (needs: RecoveryWorkNeeds) => {
  const { proofs, recovery } = needs
  const { seal, read } = sealing(needs, recovered)
  return {
    /** Sends a code; the answer is the same for every number. @throws Refusal */
    ask: (phone: string, texts: Texts, { at, request, traceparent }: Call): string =>
      proofs.ask({
        traceparent,
        purpose: 'recovery',
        phone,
        at,
        address: request.remoteAddress ?? '',
        isOptional: true,
        word: async (code) => {
          const { host } = new URL(needs.issuer())
          return (await needs.hasAccount(phone))
            ? texts.messageRecovery({ code, host })
            : texts.messageNoAccount({ host })
        },
      }),
    /** Undefined when it is not enough. @throws Refusal sign_in_is_locked */
    prove: async (
      proof: string,
      factors: RecoveryFactors,
      { at, request: { remoteAddress: address } }: Call,
    ): Promise<(RecoveredAccount & { readonly sealed: string }) | undefined> => {
      const proved = await recovery.prove(proof, factors, { at, address })
      if (!proved) return undefined
      const account = { ...proved, codeSecret: needs.newCodeSecret() }
      const until = secondsAfter(at, recoveredLifetime)
      return { ...account, sealed: seal({ purpose: 'recovered', ...account, until }) }
    },
    read,
    /** False for a wrong code of the new authenticator. All sessions end. @throws Refusal */
    renew: async (
      account: RecoveredAccount,
      { newPin, newCode, known }: Renewal,
      call: Call,
    ): Promise<boolean> => {
      const { keepsPin, keepsAuthenticator, codeSecret, payer } = account
      if (!keepsAuthenticator && needs.stepOfCode(codeSecret, newCode) === null) return false
      const renewed = {
        pin: keepsPin ? null : newPin,
        codeSecret: keepsAuthenticator ? null : codeSecret,
        known,
      }
      await recovery.renew(account, renewed, contextOfPayer(call, payer))
      return true
    },
  }
}

type RecoveryPageNeeds = RecoveryWorkNeeds & {
  readonly qrImage: { readonly dataUrl: (text: string) => Promise<string> }
}

type FormCall = Call<unknown, unknown, FormOf<typeof recoveryForm>>

type Sealed = RecoveredAccount & { readonly sealed: string }

const formPage = (
  visits: Visits,
  visitor: Visitor,
  fields: Html,
  problem?: string,
): Promise<RawReply> => {
  const { texts } = visitor
  return visits.show(visitor, {
    title: texts.recover,
    status: problem === undefined ? 200 : 400,
    body: (
      <form class="card" method="post" action="/payer/recovery">
        <h1>{texts.recover}</h1>
        <Wrong text={problem} />
        {fields}
        <Actions button={texts.continue} back="/payer/sign-in" cancel={texts.cancel} />
      </form>
    ),
  })
}

const phoneFields = ({ texts, csrf }: Visitor): Html => [
  <p>{texts.recoverWhat}</p>,
  <Hidden fields={{ csrf }} />,
  phoneField(texts, 'username'),
]

/** What was typed and stays in the form: codes that count once, never the PIN. */
type Typed = { readonly numberCode: string; readonly recoveryCode: string }

const nothingTyped: Typed = { numberCode: '', recoveryCode: '' }

/** One of the ways to show whose account it is; none is required alone. */
const proofFields = (
  { texts, csrf }: Visitor,
  proof: string,
  { numberCode, recoveryCode }: Typed = nothingTyped,
): Html => {
  const text = { ...exact, maxlength: 30 }
  const digits = { inputmode: 'numeric', autocomplete: 'one-time-code', maxlength: 30 } as const
  return [
    <p>{texts.recoverProofs}</p>,
    <Hidden fields={{ csrf, proof }} />,
    <Field
      name="number_code"
      label={texts.numberCode}
      hint={texts.numberCodeHint}
      {...digits}
      value={numberCode.slice(0, 7)}
    />,
    <Field
      name="recovery_code"
      label={texts.recoveryCode}
      {...text}
      value={recoveryCode.slice(0, 30)}
    />,
    <Pin name="pin" label={texts.pin} autocomplete="current-password" isRequired={false} />,
    <Field name="code" label={texts.code} hint={texts.codeHint} {...digits} />,
  ]
}

/** What replaces the proofs that were not given. */
const renewalFields = async (
  { codeUri, qrImage }: RecoveryPageNeeds,
  visitor: Visitor,
  { sealed, keepsPin, keepsAuthenticator, codeSecret }: Sealed,
): Promise<Html> => {
  const { texts, csrf } = visitor
  const uri = codeUri(codeSecret, '')
  const image = keepsAuthenticator ? '' : await qrImage.dataUrl(uri)
  return [
    <p>{texts.recoverRenew}</p>,
    <Hidden fields={{ csrf, recovered: sealed }} />,
    keepsPin ? null : (
      <Pin name="new_pin" label={texts.newPin} hint={texts.pinHint} autocomplete="new-password" />
    ),
    keepsAuthenticator
      ? null
      : [
          <h2>{texts.authenticatorTitle}</h2>,
          authenticatorHtml(visitor, { uri, codeSecret, image }),
          codeField(texts, undefined, undefined, 'new_code'),
        ],
  ]
}

const proving =
  (needs: RecoveryPageNeeds, visits: Visits) =>
  async (visitor: Visitor, call: FormCall): Promise<RawReply> => {
    const work = recoveryWork(needs)
    const { body } = call
    const proof = fieldOf(body, 'proof')
    const factors = {
      numberCode: fieldOf(body, 'number_code'),
      recoveryCode: fieldOf(body, 'recovery_code'),
      pin: fieldOf(body, 'pin').slice(0, 64),
      code: compactFieldOf(body, 'code'),
    }
    const proved = await work.prove(proof, factors, call)
    return proved
      ? formPage(visits, visitor, await renewalFields(needs, visitor, proved))
      : formPage(visits, visitor, proofFields(visitor, proof, factors), visitor.texts.recoverWrong)
  }

const renewing =
  (needs: RecoveryPageNeeds, visits: Visits) =>
  async (visitor: Visitor, call: FormCall, sealed: string): Promise<RawReply> => {
    const work = recoveryWork(needs)
    const { texts } = visitor
    const account = work.read(sealed, call.at)
    if (!account) return formPage(visits, visitor, phoneFields(visitor), texts.recoverWrong)
    const again = async (problem: string) =>
      formPage(
        visits,
        visitor,
        await renewalFields(needs, visitor, { ...account, sealed }),
        problem,
      )
    const newPin = fieldOf(call.body, 'new_pin')
    if (!account.keepsPin && !isNewPin(newPin)) return again(texts.wrongNewPin)
    const newCode = compactFieldOf(call.body, 'new_code')
    const { known, cookies } = visits.knownDevice(visitor)
    if (!(await work.renew(account, { newPin, newCode, known }, call)))
      return again(texts.wrongCode)
    return visits.go(visitor, '/payer/sign-in?recovered', cookies)
  }

/** The way back for whoever has lost a factor, or is kept from signing in by strangers. */
export const recoveryRoutes = (needs: RecoveryPageNeeds, visits: Visits): Route[] => {
  const work = recoveryWork(needs)

  const prove = proving(needs, visits)
  const renew = renewing(needs, visits)

  const advance = async (visitor: Visitor, call: FormCall): Promise<RawReply> => {
    const { body } = call
    visits.checkForm(call, visitor, body, 'browser')
    const sealed = fieldOf(body, 'recovered')
    if (sealed !== '') return renew(visitor, call, sealed)
    if (fieldOf(body, 'proof') !== '') return prove(visitor, call)
    const phone = visits.phoneOf(fieldOf(body, 'phone'))
    if (phone === undefined)
      return formPage(visits, visitor, phoneFields(visitor), visitor.texts.wrongPhone)
    const proof = work.ask(phone, visitor.texts, call)
    return formPage(visits, visitor, proofFields(visitor, proof))
  }

  return [
    openPages.get('/payer/recovery', {
      summary: 'Get back into an account',
      handle: (call) =>
        visits.page(call, (visitor) => formPage(visits, visitor, phoneFields(visitor))),
    }),
    openPages.post('/payer/recovery', {
      summary: 'Get back into an account: number, then two proofs, then what replaces the rest',
      body: anyForm,
      takesForm: true,
      ...accountAsks.recover,
      handle: (call) => visits.page(call, (visitor) => advance(visitor, call)),
    }),
  ]
}
