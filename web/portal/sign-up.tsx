import { isReadable } from '../../domain/blanks.ts'
import type { Caused } from '../../application/handle.ts'
import type { SigningUp } from '../../application/merchants.ts'
import { organizationNumber } from '../../domain/merchant/organization.ts'
import type { Profile } from '../../domain/people/profile.ts'
import { isCurrency } from '../../domain/money/currency.ts'
import { refuse, Refusal } from '../../domain/refusal.ts'
import { readTimeZone, utc, zoneOfLocale } from '../../domain/time-zone.ts'
import type { Call } from '../../http/call.ts'
import { anyForm, fieldOf, type FormOf } from '../../http/forms.ts'
import {
  hasProblems,
  type Problems,
  foreign,
  hidden,
  plainForm,
  typed,
  Field,
} from '../ui/fields.tsx'
import type { Visits } from '../payer/session.tsx'
import type { RawReply, Route } from '../../http/route.ts'
import { portalPath } from './areas.ts'
import { signUpBeside } from './overview-panels.tsx'
import type { PortalNeeds } from './guard.ts'
import type { LobbyVisitor } from '../staff/frame.tsx'
import type { PortalPage } from './page.tsx'
import { inLobbyRoutes, portalPages } from './pages.ts'
import { formPage, TimeZoneField } from './parts.tsx'
import { textsIn } from '../../texts/catalogue.ts'
import type { Language } from '../../texts/generated/texts.ts'

type SignUpMerchantNeeds = PortalNeeds & {
  readonly newToken: () => { readonly token: string }
  readonly derive: (...parts: readonly (string | number)[]) => string
  readonly findProfile: (payer: string) => Promise<Profile | undefined>
  /** An account as it is kept; undefined for a text that is none. */
  readonly readAccount: (text: string) => string | undefined
  readonly isOrganizationNumber: (number: string) => boolean
  readonly signUpMerchant: (payer: string, details: SigningUp, context: Caused) => Promise<void>
}

const path = '/portal/sign-up'

const signUpForm = plainForm.extend({
  form: hidden('the same form makes one merchant, however often it is sent.'),
  name: typed('The business name.', 'Kaffebaren AS'),
  organization: typed('The organisation number.', '987654325'),
  currency: typed('ISO 4217 code.', 'NOK'),
  payout_account: typed('IBAN, or a national account number.', 'NO9386011117947'),
  time_zone: typed('IANA; by whose clocks days begin.', 'Europe/Oslo'),
})

type Form = FormOf<typeof signUpForm>

const names = ['name', 'organization', 'currency', 'payout_account', 'time_zone'] as const

type Typed = Readonly<Record<(typeof names)[number], string>>

const slugLength = 24

/** Readable, and nobody's: the same form gives the same. */
const idFrom = ({ derive }: SignUpMerchantNeeds, payer: string, name: string, form: string) => {
  const plain = name.normalize('NFKD').replaceAll(/[\u0300-\u036f]/g, '')
  // These do not decompose.
  const latin = plain.toLowerCase().replaceAll('ø', 'o').replaceAll('æ', 'ae')
  const slug = latin.replaceAll(/[^a-z0-9]+/g, '-')
  const suffix = derive('merchant', payer, form).toLowerCase().replaceAll(/[-_]/g, '')
  return `${slug.replaceAll(/^-+|-+$/g, '').slice(0, slugLength) || 'shop'}-${suffix.slice(0, 6)}`
}

const organizationIdOf = ({ organization }: Typed): string => organizationNumber(organization)

const problemsOf = (
  { readAccount, isOrganizationNumber }: SignUpMerchantNeeds,
  values: Typed,
  language: Language,
): Problems => {
  const texts = textsIn[language].lobby
  const isName = isReadable(values.name) && values.name.length <= 100
  const isOrganization = isOrganizationNumber(organizationIdOf(values))
  const isZone = readTimeZone(values.time_zone) !== undefined
  return {
    name: isName ? undefined : texts.wrongName,
    organization: isOrganization ? undefined : texts.wrongOrganization,
    currency: isCurrency(values.currency.toUpperCase()) ? undefined : texts.wrongCurrency,
    payout_account: readAccount(values.payout_account) ? undefined : texts.wrongAccount,
    time_zone: isZone ? undefined : textsIn[language].money.wrongTimeZone,
  }
}

const signUpPage = (
  visitor: LobbyVisitor,
  form: string,
  values: Typed,
  problems: Problems = {},
): PortalPage => {
  const texts = textsIn[visitor.language].lobby
  const field = (name: keyof Typed, label: string, hint?: string) => (
    <Field
      name={name}
      label={label}
      hint={hint}
      problem={problems[name]}
      value={values[name]}
      maxlength={100}
      required
      autocomplete={name === 'name' ? 'organization' : 'off'}
    />
  )
  const { timeZone, timeZoneHint } = textsIn[visitor.language].money
  // A script then writes the zone of the browser there; what somebody has typed stays.
  const isNew = !hasProblems(problems)
  const accountHint = visitor.isSandbox ? texts.payoutHint : undefined
  return formPage(visitor, {
    title: texts.signUp,
    action: path,
    hidden: { form },
    button: texts.signUpDo,
    back: '/portal/',
    backText: textsIn[visitor.language].portal.yourMerchants,
    isWrong: !isNew,
    fields: [
      field('name', texts.name, texts.nameHint),
      ' ',
      field('organization', texts.organization),
      ' ',
      field('currency', texts.currency, texts.currencyHint),
      ' ',
      field('payout_account', texts.payoutAccount, accountHint),
      <TimeZoneField
        label={timeZone}
        hint={timeZoneHint}
        problem={problems['time_zone']}
        value={values.time_zone}
        data-own-zone={isNew ? '' : undefined}
      />,
    ],
    beside: signUpBeside(visitor),
  })
}

const nothingTyped = ({ locale }: LobbyVisitor): Typed => ({
  name: '',
  organization: '',
  currency: 'NOK',
  payout_account: '',
  time_zone: zoneOfLocale(locale),
})

const carryOut =
  (needs: SignUpMerchantNeeds, visits: Visits) =>
  async (visitor: LobbyVisitor, call: Call): Promise<PortalPage | RawReply> => {
    const body = call.body as Form
    visits.checkForm(call, visitor, body)
    const { payer } = visitor.session
    const texts = textsIn[visitor.language].lobby
    const form = fieldOf(body, 'form').slice(0, 64)
    const values = Object.fromEntries(names.map((name) => [name, fieldOf(body, name)])) as Typed
    const problems = problemsOf(needs, values, visitor.language)
    if (hasProblems(problems)) return signUpPage(visitor, form, values, problems)
    const { phone } = (await needs.findProfile(payer)) ?? refuse('payer_is_unknown')
    const id = idFrom(needs, payer, values.name, form)
    try {
      await needs.signUpMerchant(
        payer,
        {
          id,
          phone,
          name: values.name,
          currency: values.currency.toUpperCase(),
          organizationId: organizationIdOf(values),
          payoutAccount: needs.readAccount(values.payout_account) ?? '',
          timeZone: readTimeZone(values.time_zone) ?? utc,
        },
        { at: call.at, correlationId: call.requestId, traceparent: call.traceparent },
      )
    } catch (error) {
      if (!(error instanceof Refusal) || error.code !== 'organization_is_claimed') throw error
      return signUpPage(visitor, form, values, { organization: texts.isTaken })
    }
    return visits.go(visitor, portalPath(id))
  }

/** A merchant signs up by itself. */
export const signUpMerchantRoutes = (needs: SignUpMerchantNeeds, visits: Visits): Route[] => {
  const { inLobby } = portalPages(needs, visits)
  const answer = carryOut(needs, visits)
  return [
    inLobbyRoutes.get(path, {
      summary: 'Sign up a merchant',
      success: 'raw',
      errors: { 303: 'Not signed in: on to the sign-in.' },
      handle: (call) =>
        inLobby(call, async (visitor) =>
          signUpPage(visitor, needs.newToken().token, nothingTyped(visitor)),
        ),
    }),
    inLobbyRoutes.post(path, {
      summary: 'Sign up a merchant: its name, number, currency and account',
      body: anyForm,
      takesForm: true,
      ownForm: signUpForm,
      success: 'raw otherwise',
      errors: {
        303: 'Made: on to its overview. Or not signed in.',
        400: 'Something is missing or wrong.',
        403: foreign,
        409: 'One person has signed up too many.',
      },
      handle: (call) => inLobby(call, (visitor) => answer(visitor, call)),
    }),
  ]
}
