import { z } from 'zod'

/** Whatever a form held: routes tell in words of their own what is wrong with it. */
export const anyForm = z.record(z.string(), z.union([z.string(), z.array(z.string())]))
export type Form = z.output<typeof anyForm>

type NamesIn<Value> = Value extends unknown ? keyof Value & string : never

/** Fields of a form as they came, of which only those with such a name may be looked at. */
export type Fields<Name extends string> = { readonly [Each in Name]?: string | readonly string[] }

/** The fields that a schema describes. */
export type FormOf<Schema extends z.ZodType> = Fields<NamesIn<z.output<Schema>>>

export const fieldOf = <Name extends string>(form: Fields<Name>, name: NoInfer<Name>): string => {
  const value = form[name]
  return typeof value === 'string' ? value.trim() : ''
}

export const fieldsOf = <Name extends string>(
  form: Fields<Name>,
  name: NoInfer<Name>,
): readonly string[] => [form[name] ?? []].flat()
