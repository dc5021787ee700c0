import type { Operation } from './openapi-document.ts'

type Schema = {
  readonly type?: string
  readonly description?: string
  readonly const?: string
  readonly pattern?: string
  readonly maxLength?: number
  readonly examples?: readonly string[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly oneOf?: readonly Schema[]
  readonly anyOf?: readonly Schema[]
}
type Field = Schema & { readonly name: string; readonly isRequired: boolean }

export const queryIn = ({ parameters }: Operation): Field[] =>
  parameters.flatMap(({ name, in: where, required: isRequired, description, schema }) =>
    where === 'query'
      ? {
          ...(schema as Schema),
          name,
          isRequired,
          ...(description !== undefined && { description }),
        }
      : [],
  )

/** The fields of each form of an operation. */
export const formsIn = ({ requestBody }: Operation): Field[][] => {
  const form = requestBody?.content['application/x-www-form-urlencoded']
  const schema = (form?.schema ?? {}) as Schema
  return (schema.oneOf ?? schema.anyOf ?? [schema]).map(({ properties = {}, required = [] }) =>
    Object.entries(properties).map(([name, field]) => ({
      ...field,
      ...{ name, isRequired: required.includes(name) },
    })),
  )
}
