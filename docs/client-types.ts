/** JSON Schemas of the OpenAPI document as TypeScript, for `client/generated`. */

export type Schema = {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly enum?: readonly string[]
  readonly anyOf?: readonly Schema[]
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: Schema | boolean
  readonly pattern?: string
  readonly description?: string
  readonly examples?: readonly unknown[]
}

export const nameIn = ($ref: string): string => $ref.slice($ref.lastIndexOf('/') + 1)

const namedTypes: Readonly<Record<string, string>> = {
  string: 'string',
  number: 'number',
  integer: 'number',
  boolean: 'boolean',
  null: 'null',
}

/** Amounts, in requests and in answers. */
const isMoney = ({ pattern = '', type, examples = [] }: Schema): boolean =>
  (type !== 'string' && pattern.endsWith(String.raw`(0|[1-9]\d*)(\.\d+)?$`)) ||
  examples[0] === '12.50'

const isDateTime = ({ description = '' }: Schema): boolean => description.startsWith('DateTime: ')

/** Nothing that the name of the type does not say. */
const saysItsType = ({ description = '' }: Schema): boolean =>
  /^(?:Money: [^;]*|DateTime: .*)$/.test(description)

export const comment = (text: string | undefined): string =>
  text === undefined ? '' : `/** ${text.replaceAll('*/', '* /')} */\n`

const objectType = ({ properties, required = [], additionalProperties }: Schema): string => {
  if (properties) {
    const members = Object.entries(properties).map(([name, schema]) => {
      const about = saysItsType(schema) ? undefined : schema.description
      const isThere = required.includes(name)
      const type = typeOf(schema) + (isThere ? '' : ' | undefined')
      return `${comment(about)}readonly ${name}${isThere ? '' : '?'}: ${type}`
    })
    return `{\n${members.join('\n')}\n}`
  }
  const values = typeof additionalProperties === 'object' ? typeOf(additionalProperties) : 'unknown'
  return `Readonly<Record<string, ${values}>>`
}

export const typeOf = (schema: Schema): string => {
  if (schema.$ref !== undefined) return nameIn(schema.$ref)
  if (isMoney(schema)) return 'Money'
  if (isDateTime(schema)) return 'DateTime'
  if (schema.enum) return schema.enum.map((value) => `'${value}'`).join(' | ')
  if (schema.anyOf) return schema.anyOf.map(typeOf).join(' | ')
  const types = [schema.type ?? 'unknown'].flat()
  return types
    .map((type) => {
      if (type === 'array') return `readonly (${typeOf(schema.items ?? {})})[]`
      return type === 'object' ? objectType(schema) : (namedTypes[type] ?? 'unknown')
    })
    .join(' | ')
}

/** Names of the schemas that a part of the document refers to, directly. */
export const referredIn = (part: unknown): string[] => {
  if (typeof part !== 'object' || part === null) return []
  const { $ref } = part as Schema
  return typeof $ref === 'string' ? [nameIn($ref)] : Object.values(part).flatMap(referredIn)
}
