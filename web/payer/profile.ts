import { html } from 'hono/html'
import type { Profile } from '../../domain/people/profile.ts'
import { refuse } from '../../domain/refusal.ts'
import { contextOfPayer } from '../../http/call.ts'
import { fieldOf } from '../../http/forms.ts'
import type { RawReply, Route } from '../../http/route.ts'
import { fullName } from './api-fields.ts'
import { addressText, type EnteringNeeds } from './scope-choice.ts'
import { inputField, type Problems } from '../ui/fields.ts'
import { pageAsks } from './page-documentation.ts'
import type { Html } from '../ui/page.ts'
import { payerPages } from './pages.ts'
import {
  addressFields,
  emailField,
  readProfile,
  typedOf,
  typedProfile,
  type TypedProfile,
} from './profile-fields.ts'
import { hiddenFields, problemNote, type SignedIn, type Visits } from './session.ts'

type Shown = { readonly name: string; readonly typed: TypedProfile }

export const detailsHtml = ({ texts, locale }: SignedIn, profile: Profile): Html => {
  const { name, phone, email, address, shippingAddress: shipping } = profile
  const row = (label: string, value: string | null): Html =>
    html`<div>
      <dt>${label}</dt>
      <dd>${value ?? html`<span class="quiet">${texts.nothingYet}</span>`}</dd>
    </div>`
  return html`<dl class="details">
    ${row(texts.name, name)} ${row(texts.phone, `+${phone}`)} ${row(texts.email, email)}
    ${row(texts.address, address && addressText(address, locale))}
    ${row(texts.shippingAddress, shipping && `${shipping.name}, ${addressText(shipping, locale)}`)}
  </dl>`
}

export const payerProfileRoutes = (needs: EnteringNeeds, visits: Visits): Route[] => {
  const { page, form } = payerPages(visits)
  const profileOf = async ({ session }: SignedIn): Promise<Profile> =>
    (await needs.findProfile(session.payer)) ?? refuse('payer_is_unknown')

  const detailsPage = (
    visitor: SignedIn,
    { name, typed }: Shown,
    problems?: Problems,
  ): Promise<RawReply> => {
    const { texts, csrf } = visitor
    return visits.show(visitor, {
      title: texts.yourDetails,
      status: problems ? 400 : 200,
      body: html`<form class="card" method="post" action="/payer/profile">
        <h1>${texts.yourDetails}</h1>
        ${problems ? problemNote(texts.wrongSeveral) : ''} ${hiddenFields({ csrf })}
        ${inputField({
          name: 'name',
          label: texts.name,
          problem: problems?.['name'],
          attributes: html`autocomplete="name" maxlength="200" required value="${name}"`,
        })}
        ${emailField(visitor, typed, problems)}
        <fieldset>
          <legend>${texts.address}</legend>
          ${addressFields(visitor, '', typed, problems)}
        </fieldset>
        <fieldset>
          <legend>${texts.shippingAddress}</legend>
          ${addressFields(visitor, 'shipping_', typed, problems)}
        </fieldset>
        <div class="actions">
          <button>${texts.save}</button>
          <a class="button second" href="/payer/">${texts.cancel}</a>
        </div>
      </form>`,
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
