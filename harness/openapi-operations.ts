/** A JSON Schema of the document; members are looked at one by one. */
export type Schema = Readonly<Record<string, any>>

/** Who may ask, as the document says it. */
export type Asker = 'open' | 'secret' | 'key' | 'integrator' | 'session' | 'token' | 'client'

export type Operation = {
  readonly method: string
  /** With `{name}` for parameters. */
  readonly path: string
  readonly asker: Asker
  readonly parameters: readonly {
    readonly name: string
    readonly in: 'path' | 'query'
    readonly required: boolean
    readonly schema: Schema
  }[]
  readonly body: { readonly type: string; readonly schema: Schema } | undefined
  /** By status, and by media type. */
  readonly responses: Readonly<Record<string, Readonly<Record<string, Schema>>>>
}

export type Described = {
  readonly operations: readonly Operation[]
  readonly schemas: Readonly<Record<string, Schema>>
}

const askerOf = (security: readonly Schema[]): Asker => {
  const takes = (scheme: string) => security.some((requirement) => scheme in requirement)
  if (security.length === 0) return 'open'
  for (const scheme of ['session', 'token', 'client'] as const) if (takes(scheme)) return scheme
  if (!security.every((requirement) => 'contentDigest' in requirement)) return 'secret'
  return takes('user') ? 'key' : 'integrator'
}

const schemasOf = ({ content = {} }: Schema): Record<string, Schema> =>
  Object.fromEntries(
    Object.entries<Schema>(content).map(([type, { schema = {} }]) => [type, schema as Schema]),
  )

const operationOf = (path: string, method: string, given: Schema): Operation => {
  const [[type, schema] = []] = Object.entries(schemasOf(given['requestBody'] ?? {}))
  return {
    method: method.toUpperCase(),
    path,
    asker: askerOf(given['security']),
    parameters: given['parameters'],
    body: type === undefined || schema === undefined ? undefined : { type, schema },
    responses: Object.fromEntries(
      Object.entries<Schema>(given['responses']).map(([status, response]) => [
        status,
        schemasOf(response),
      ]),
    ),
  }
}

/** All operations of an OpenAPI document. */
export const describedIn = (document: Schema): Described => {
  const operations = Object.entries<Schema>(document['paths']).flatMap(([path, methods]) =>
    Object.entries<Schema>(methods).map(([method, given]) => operationOf(path, method, given)),
  )
  return { operations, schemas: document['components'].schemas }
}

/** All operations that a running service describes. */
export const describedBy = async (address: string): Promise<Described> =>
  describedIn((await (await fetch(`${address}/openapi.json`)).json()) as Schema)
