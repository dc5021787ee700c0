import { z } from 'zod'
import type { Handle } from '../../application/handle.ts'
import type { NumberProofs } from '../../application/number-proofs.ts'
import type { changeProfile } from '../../application/payers.ts'
import { payers } from '../../domain/aggregates.ts'
import { isOwner } from '../../domain/merchant/staff.ts'
import { memberOfPerson } from '../../domain/staff-members.ts'
import { profile as profileSchema, type Profile } from '../../domain/people/profile.ts'
import {
  bigRefundOf,
  bigRefunds,
  noticeTopics,
  noticeWays,
  wayOf,
  type NoticeTopic,
  type NoticeWay,
  type Preferences,
} from '../../domain/people/preferences.ts'
import { refuse } from '../../domain/refusal.ts'
import { contextOfPayer, searchOf, type Call } from '../../http/call.ts'
import { anyForm, fieldOf, type FormOf } from '../../http/forms.ts'
import type { RawReply, Route } from '../../http/route.ts'
import { languages, textsIn } from '../../texts/catalogue.ts'
import type { Visits } from '../payer/session.tsx'
import type { LobbyVisitor } from '../staff/frame.tsx'
import { Actions, Card, Done, Form, Quiet, Title, type Html } from '../ui/components.tsx'
import { Check, Choice, Field, foreign, hidden, numberCodeField, plainForm } from '../ui/fields.tsx'
import { numberFormat } from '../ui/money.tsx'
import { ownSettingsPath } from './areas.ts'
import type { PortalNeeds } from './guard.ts'
import type { PortalPage } from './page.tsx'
import { inLobbyRoutes, portalPages } from './pages.ts'

type OwnSettingsNeeds = PortalNeeds & {
  readonly handle: Handle
  readonly findProfile: (payer: string) => Promise<Profile | undefined>
  readonly changeProfile: ReturnType<typeof changeProfile>
  readonly mailProofs: Pick<NumberProofs, 'ask' | 'check' | 'use'>
  readonly canMail: boolean
  readonly issuer: () => string
}

/** What somebody typed as address, what came back with the code, and what is wrong. */
type Mailing = { readonly email: string; readonly proof?: string; readonly problem?: string }

const way = z.enum(noticeWays).optional()

type Ways = Readonly<Record<NoticeTopic, typeof way>>

const ownForm = plainForm.extend({
  change: z.enum(['notices', 'mail', 'pages']),
  ...(Object.fromEntries(noticeTopics.map((topic) => [topic, way])) as Ways),
  refund_from: z.enum(bigRefunds.map(String)).optional(),
  language: z.enum(languages).optional(),
  search_key: z.string().optional(),
  email: z.string().optional().meta({ description: 'The e-mail address.' }),
  proof: hidden('the code that was sent.').optional(),
  number_code: z.string().optional().meta({ description: 'The code of the mail.' }),
})

type OwnForm = FormOf<typeof ownForm>

type SettingsView = {
  readonly profile: Profile
  readonly isOwner: boolean
  readonly mailing?: Mailing
}

const hiddenIn = ({ csrf }: LobbyVisitor, change: string) => ({ csrf, change })

const noticesCard = (needs: OwnSettingsNeeds, visitor: LobbyVisitor, view: SettingsView): Html => {
  const texts = textsIn[visitor.language].notices
  const mayMail = needs.canMail && view.profile.isEmailVerified
  const amount = numberFormat(visitor.locale)
  const ways = noticeWays.filter((one) => one !== 'mail' || mayMail)
  const chosen = (topic: NoticeTopic): NoticeWay => {
    const way = wayOf(visitor.session.preferences, topic, view.isOwner)
    return way === 'mail' && !mayMail ? 'text' : way
  }
  return (
    <Card title={texts.notices}>
      <Quiet text={texts.what} />
      <Form action={ownSettingsPath} hidden={hiddenIn(visitor, 'notices')}>
        {noticeTopics.map((topic) => (
          <Choice
            name={topic}
            label={texts[topic]}
            value={chosen(topic)}
            of={ways.map((one) => [one, texts[one]] as const)}
          />
        ))}
        <Choice
          name="refund_from"
          label={texts.bigRefundFrom}
          value={String(bigRefundOf(visitor.session.preferences))}
          of={bigRefunds.map((least) => [String(least), amount.format(least)] as const)}
        />
        {needs.canMail && !mayMail && <Quiet text={texts.mailFirst} />}
        <Actions button={visitor.texts.save} />
      </Form>
    </Card>
  )
}

const mailCard = (visitor: LobbyVisitor, { profile, mailing }: SettingsView): Html => {
  const { texts } = visitor
  const own = textsIn[visitor.language].notices
  const { email, proof, problem } = mailing ?? { email: profile.email ?? '' }
  const fields =
    proof === undefined ? (
      <Field
        name="email"
        label={texts.email}
        problem={problem}
        type="email"
        autocomplete="email"
        maxlength={200}
        required
        value={email}
      />
    ) : (
      [<p role="status">{own.codeSent({ address: email })}</p>, numberCodeField(texts, problem)]
    )
  return (
    <Card title={texts.email}>
      {profile.isEmailVerified && proof === undefined && (
        <p>{own.confirmed({ address: profile.email ?? '' })}</p>
      )}
      <Form
        action={ownSettingsPath}
        hidden={{ ...hiddenIn(visitor, 'mail'), ...(proof !== undefined && { proof, email }) }}
      >
        {fields}
        {proof === undefined ? (
          <Actions kind="second" button={own.askCode} />
        ) : (
          <Actions button={own.confirm} />
        )}
      </Form>
    </Card>
  )
}

const pagesCard = (visitor: LobbyVisitor): Html => {
  const { texts, session, language } = visitor
  const own = textsIn[language].notices
  return (
    <Card title={own.pages}>
      <Form action={ownSettingsPath} hidden={hiddenIn(visitor, 'pages')}>
        <Choice
          name="language"
          label={texts.language}
          value={language}
          of={languages.map((one) => [one, textsIn[one].language.name] as const)}
        />
        <Check
          type="checkbox"
          name="search_key"
          value="on"
          isChosen={session.preferences?.hasSearchKey !== false}
          text={own.searchKey}
          what={own.searchKeyWhat}
        />
        <Actions kind="second" button={texts.save} />
      </Form>
    </Card>
  )
}

const settingsPage =
  (needs: OwnSettingsNeeds) =>
  async (visitor: LobbyVisitor, call: Call, mailing?: Mailing): Promise<PortalPage> => {
    const { payer } = visitor.session
    const profile = (await needs.findProfile(payer)) ?? refuse('payer_is_unknown')
    const places = await needs.placesOf(payer)
    const owns = places.map(async ({ merchant }) => {
      const me = memberOfPerson(await needs.findStaff(merchant), payer)
      return me !== undefined && isOwner(me)
    })
    const view = {
      profile,
      isOwner: (await Promise.all(owns)).includes(true),
      ...(mailing && { mailing }),
    }
    const { title, saved } = textsIn[visitor.language].notices
    return {
      title,
      status: mailing?.problem === undefined ? 200 : 400,
      body: (
        <div class="lobby">
          <Title text={title} />
          <Done text={searchOf(call).has('done') ? saved : undefined} />
          {noticesCard(needs, visitor, view)}
          {needs.canMail && mailCard(visitor, view)}
          {pagesCard(visitor)}
        </div>
      ),
    }
  }

const chosenIn = (body: OwnForm): Preferences => {
  const language = languages.find((one) => one === fieldOf(body, 'language'))
  if (fieldOf(body, 'change') === 'pages')
    return { ...(language && { language }), hasSearchKey: fieldOf(body, 'search_key') === 'on' }
  const chosen = noticeTopics.flatMap((topic) => {
    const way = noticeWays.find((one) => one === fieldOf(body, topic))
    return way === undefined ? [] : [[topic, way] as const]
  })
  const bigRefund = bigRefunds.find((least) => String(least) === fieldOf(body, 'refund_from'))
  return { notices: Object.fromEntries(chosen), ...(bigRefund && { bigRefund }) }
}

const changing = (needs: OwnSettingsNeeds, visits: Visits) => {
  const show = settingsPage(needs)
  const { mailProofs, changeProfile } = needs
  const done = (visitor: LobbyVisitor) => visits.go(visitor, `${ownSettingsPath}?done`)

  const askCode = (visitor: LobbyVisitor, email: string, call: Call): Mailing => {
    const read = profileSchema.shape.email.safeParse(email)
    if (!read.success || !read.data) return { email, problem: visitor.texts.wrongEmail }
    const { at, request, traceparent } = call
    const texts = textsIn[visitor.language].notices
    const proof = mailProofs.ask({
      purpose: 'mail',
      phone: email,
      payer: visitor.session.payer,
      at,
      traceparent,
      address: request.remoteAddress ?? '',
      word: async (code) => texts.mailCode({ code, host: new URL(needs.issuer()).host }),
    })
    return { email, proof }
  }

  const changeMail = async (visitor: LobbyVisitor, call: Call<unknown, undefined, OwnForm>) => {
    const { body, at } = call
    const { payer } = visitor.session
    const [email, proof] = [fieldOf(body, 'email').trim(), fieldOf(body, 'proof')]
    if (proof === '') return show(visitor, call as Call, askCode(visitor, email, call as Call))
    const proved = await mailProofs.check(proof, 'mail', fieldOf(body, 'number_code'), at)
    if (proved?.payer !== payer)
      return show(visitor, call as Call, { email, proof, problem: visitor.texts.wrongNumberCode })
    const changes = { email: proved.phone, isEmailVerified: true }
    await changeProfile(payer, changes, contextOfPayer(call as Call, payer))
    await mailProofs.use(proved)
    return done(visitor)
  }

  return async (
    visitor: LobbyVisitor,
    call: Call<unknown, undefined, OwnForm>,
  ): Promise<PortalPage | RawReply> => {
    visits.checkForm(call as Call, visitor, call.body)
    if (fieldOf(call.body, 'change') === 'mail' && needs.canMail) return changeMail(visitor, call)
    const { payer } = visitor.session
    const command = { type: 'ChangePreferences', preferences: chosenIn(call.body) } as const
    await needs.handle(payers, payer, command, contextOfPayer(call as Call, payer))
    return done(visitor)
  }
}

/** What somebody chooses for themselves: messages, the address of mails, and how pages are. */
export const ownSettingsRoutes = (needs: OwnSettingsNeeds, visits: Visits): Route[] => {
  const { inLobby } = portalPages(needs, visits)
  const show = settingsPage(needs)
  const change = changing(needs, visits)
  return [
    inLobbyRoutes.get(ownSettingsPath, {
      summary: 'Which messages one gets, and how; the language and the keys of the pages',
      success: 'raw',
      errors: { 303: 'Not signed in: on to the sign-in.' },
      handle: (call) => inLobby(call, (visitor) => show(visitor, call)),
    }),
    inLobbyRoutes.post(ownSettingsPath, {
      summary: 'Choose messages, confirm an e-mail address, or choose a language',
      body: anyForm,
      takesForm: true,
      ownForm,
      success: 'raw otherwise',
      errors: {
        303: 'Saved, or not signed in.',
        400: 'Something is missing or wrong.',
        403: foreign,
        429: 'Too many codes.',
      },
      handle: (call) =>
        inLobby(call, (visitor) => change(visitor, call as Call<unknown, undefined, OwnForm>)),
    }),
  ]
}
