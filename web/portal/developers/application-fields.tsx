import type { Html } from '../../ui/components.tsx'
import { z } from 'zod'
import { isRedirectUri, longestName, mostRedirectUris } from '../../../domain/people/application.ts'
import { fieldOf, type FormOf } from '../../../http/forms.ts'
import { isReadable } from '../../../domain/blanks.ts'
import { type Problems, hidden, plainForm, typed, Field, Area } from '../../ui/fields.tsx'
import type { PortalVisitor } from '../page.tsx'
import { textsOf } from './parts.tsx'

/** How long an old secret can stay valid. */
export const overlapHours = [0, 1, 24, 168] as const

const publicFields = {
  name: typed('What payers read.', 'Bookshop').optional(),
  redirect_uris: typed('Where payers return to, one in each line.').optional(),
}

const code = typed('A one-time code; without it a page asks for it.').optional()

const attempt = hidden('a form that is sent twice makes one secret.').optional()

export const newApplicationForm = plainForm.extend({
  ...publicFields,
  attempt,
  code,
  kind: z.enum(['confidential', 'public']),
  dpop: typed('`yes`: tokens are bound to a key of the application.').optional(),
})

export const applicationForm = plainForm.extend({
  ...publicFields,
  attempt,
  code,
  change: z
    .enum(['told', 'secret', 'disable', 'enable', 'remove'])
    .meta({ description: 'Hidden in the form: what is changed.' }),
  overlap: typed('How many hours the old secret stays valid.', '24').optional(),
})

export type NewApplicationForm = FormOf<typeof newApplicationForm>

export type ApplicationForm = FormOf<typeof applicationForm>

/** What payers see, and where they return to. */
export type PublicFields = { readonly name: string; readonly redirectUris: readonly string[] }

export const publicFieldsIn = (
  body: Pick<ApplicationForm, 'name' | 'redirect_uris'>,
): PublicFields => ({
  name: fieldOf(body, 'name'),
  redirectUris: fieldOf(body, 'redirect_uris')
    .split(/\s+/)
    .filter((uri) => uri !== ''),
})

export const publicProblems = (
  visitor: PortalVisitor,
  { name, redirectUris }: PublicFields,
): Problems => {
  const texts = textsOf(visitor)
  const isWrong = (uri: string): boolean => !isRedirectUri(uri, visitor.isSandbox)
  const wrong = redirectUris.find(isWrong)
  const isCount = redirectUris.length > 0 && redirectUris.length <= mostRedirectUris
  return {
    name: !isReadable(name) || name.length > longestName ? texts.wrongName : undefined,
    redirect_uris: wrong
      ? [texts.wrongUri, ' ', <code>{wrong}</code>]
      : isCount
        ? undefined
        : texts.wrongUriCount,
  }
}

export const publicFieldsHtml = (
  visitor: PortalVisitor,
  { name, redirectUris }: PublicFields,
  problems: Problems = {},
): Html => {
  const texts = textsOf(visitor)
  return [
    <Field
      name="name"
      label={texts.name}
      hint={texts.applicationNameHint}
      problem={problems['name']}
      value={name}
      maxlength={100}
      required
      autocomplete="off"
    />,
    <Area
      name="redirect_uris"
      label={texts.redirectUris}
      hint={visitor.isSandbox ? texts.redirectUrisSandbox : texts.redirectUrisHint}
      problem={problems['redirect_uris']}
      rows={3}
      required
      spellcheck={false}
      autocomplete="off"
      text={redirectUris.join('\n')}
    />,
  ]
}

/** In milliseconds; undefined for what cannot be chosen. */
export const overlapIn = (text: string): number | undefined => {
  const hours = overlapHours.find((one) => String(one) === text)
  return hours === undefined ? undefined : hours * 3_600_000
}
