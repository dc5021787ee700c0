import { Actions, Hidden, Wrong, type Html } from '../ui/components.tsx'
import type { Profile } from '../../domain/people/profile.ts'
import { refuse } from '../../domain/refusal.ts'
import { contextOfPayer } from '../../http/call.ts'
import { fieldOf } from '../../http/forms.ts'
import type { RawReply, Route } from '../../http/route.ts'
import { fullName } from './api-fields.ts'
import { addressText, type EnteringNeeds } from './scope-choice.tsx'
import { type Problems, Field } from '../ui/fields.tsx'
import { pageAsks } from './page-documentation.ts'
import { payerPages } from './pages.ts'
import {
  addressFields,
  emailField,
  readProfile,
  typedOf,
  typedProfile,
  type TypedProfile,
} from './profile-fields.tsx'
import { type SignedIn, type Visits } from './session.tsx'

type ProfileView = { readonly name: string; readonly typed: TypedProfile }

export const detailsHtml = ({ texts, locale }: SignedIn, profile: Profile): Html => {
  const { name, phone, email, address, shippingAddress: shipping } = profile
  const row = (label: string, value: string | null): Html => (
    <div>
      <dt>{label}</dt>
      <dd>{value ?? <span class="quiet">{texts.nothingYet}</span>}</dd>
    </div>
  )
  return (
    <dl class="details">
      {row(texts.name, name)}
      {row(texts.phone, `+${phone}`)}
      {row(texts.email, email)}
      {row(texts.address, address && addressText(address, locale))}
      {row(texts.shippingAddress, shipping && `${shipping.name}, ${addressText(shipping, locale)}`)}
    </dl>
  )
}

export const payerProfileRoutes = (needs: EnteringNeeds, visits: Visits): Route[] => {
  const { page, form } = payerPages(visits)
  const profileOf = async ({ session }: SignedIn): Promise<Profile> =>
    (await needs.findProfile(session.payer)) ?? refuse('payer_is_unknown')

  const detailsPage = (
    visitor: SignedIn,
    { name, typed }: ProfileView,
    problems?: Problems,
  ): Promise<RawReply> => {
    const { texts, csrf } = visitor
    return visits.show(visitor, {
      title: texts.yourDetails,
      status: problems ? 400 : 200,
      body: (
        <form class="card" method="post" action="/payer/profile">
          <h1>{texts.yourDetails}</h1>
          {problems ? <Wrong text={texts.wrongSeveral} /> : null}
          <Hidden fields={{ csrf }} />
          <Field
            name="name"
            label={texts.name}
            problem={problems?.['name']}
            autocomplete="name"
            maxlength={200}
            required
            value={name}
          />
          {emailField(visitor, typed, problems)}
          <fieldset>
            <legend>{texts.address}</legend>
            {addressFields(visitor, '', typed, problems)}
          </fieldset>
          <fieldset>
            <legend>{texts.shippingAddress}</legend>
            {addressFields(visitor, 'shipping_', typed, problems)}
          </fieldset>
          <Actions button={texts.save} back="/payer/" cancel={texts.cancel} />
        </form>
      ),
    })
  }

  return [
    page(
      { path: '/payer/profile', summary: 'What is known of the payer', ...pageAsks.list },
      async (visitor) => {
        const profile = await profileOf(visitor)
        return detailsPage(visitor, { name: profile.name, typed: typedOf(profile) })
      },
    ),
    form(
      { path: '/payer/profile', summary: 'Change what is known', ...pageAsks.changeDetails },
      async (visitor, call) => {
        const { texts, session } = visitor
        const typed = typedProfile(call.body)
        const name = fieldOf(call.body, 'name')
        const wrongName = !fullName.safeParse(name).success && { name: texts.wrongName }
        const read = readProfile(typed, { name }, texts)
        if ('problems' in read)
          return detailsPage(visitor, { name, typed }, { ...read.problems, ...wrongName })
        if (wrongName) return detailsPage(visitor, { name, typed }, wrongName)
        const context = contextOfPayer(call, session.payer)
        await needs.changeProfile(session.payer, { name, ...read.changes }, context)
        return visits.go(visitor, '/payer/?saved')
      },
    ),
  ]
}
