import { z } from 'zod'
import { withoutBlanks } from '../domain/blanks.ts'

/** Any form; the route checks it and words its own errors. */
export const anyForm = z.record(z.string(), z.union([z.string(), z.array(z.string())]))
export type Form = z.output<typeof anyForm>

type NamesIn<Value> = Value extends unknown ? keyof Value & string : never

/** Unchecked form fields, limited to known names. */
export type Fields<Name extends string> = { readonly [Each in Name]?: string | readonly string[] }

export type FormOf<Schema extends z.ZodType> = Fields<NamesIn<z.output<Schema>>>

export const fieldOf = <Name extends string>(form: Fields<Name>, name: NoInfer<Name>): string => {
  const value = form[name]
  return typeof value === 'string' ? value.trim() : ''
}

/** A number or a code, however it was typed or pasted. */
export const compactFieldOf = <Name extends string>(
  form: Fields<Name>,
  name: NoInfer<Name>,
): string => withoutBlanks(fieldOf(form, name))

export const fieldsOf = <Name extends string>(
  form: Fields<Name>,
  name: NoInfer<Name>,
): readonly string[] => [form[name] ?? []].flat()

/** A form as the query that says the same. */
export const queryOf = (form: Form): URLSearchParams => {
  const query = new URLSearchParams()
  for (const name of Object.keys(form))
    for (const value of fieldsOf(form, name)) query.append(name, value)
  return query
}
