import Ajv from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import type { Described, Operation, Schema } from '../../harness/values-of-schema.ts'

export type Answered = {
  readonly status: number
  readonly type: string | null
  readonly text: string
}

/** Checks responses against the document's schema for their status. */
export const answerChecks = ({ schemas }: Pick<Described, 'schemas'>) => {
  const ajv = new Ajv.default({ strict: false, allErrors: false })
  addFormats.default(ajv)
  ajv.addSchema({ $id: 'document', components: { schemas } })
  const compiled = new WeakMap<Schema, ReturnType<typeof ajv.compile>>()
  const withReferences = (schema: Schema): Schema =>
    JSON.parse(JSON.stringify(schema).replaceAll('"#/components/', '"document#/components/'))
  const validatorOf = (schema: Schema) => {
    const known = compiled.get(schema)
    if (known) return known
    const made = ajv.compile(withReferences(schema))
    compiled.set(schema, made)
    return made
  }

  const bodyProblem = (schema: Schema, type: string, text: string): string | undefined => {
    if (!/[/+]json$/.test(type)) return undefined
    let value: unknown
    try {
      value = JSON.parse(text)
    } catch {
      return 'is no JSON'
    }
    const validate = validatorOf(schema)
    return validate(value) ? undefined : `does not fit: ${ajv.errorsText(validate.errors)}`
  }

  /** What is wrong with a response; undefined if nothing. */
  return (operation: Operation, { status, type, text }: Answered): string | undefined => {
    if (status >= 500) return `a ${status}`
    const { [String(status)]: named, default: others } = operation.responses
    // Only errors may use the default response.
    const content = named ?? (status >= 400 ? others : undefined)
    if (!content) return `the document has no ${status}`
    const media = type?.split(';')[0]?.trim() ?? ''
    if (Object.keys(content).length === 0 || status === 204)
      return text === '' || status < 400 ? undefined : 'the document has no body for it'
    const schema = content[media]
    // A browser may get a page instead.
    if (!schema) return media === 'text/html' ? undefined : `the document has no ${media}`
    return bodyProblem(schema, media, text)
  }
}
