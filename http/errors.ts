import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { z } from 'zod'

export const errorReply = z
  .object({
    error_type: z.string().nullable(),
    error_description: z.string().nullable(),
    error_details: z.record(z.string(), z.array(z.string())).nullable(),
  })
  .meta({ id: 'Error' })

type ErrorReply = z.output<typeof errorReply>

const reasonPhrases = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  406: 'Not Acceptable',
  408: 'Request Timeout',
  409: 'Conflict',
  410: 'Gone',
  413: 'Content Too Large',
  415: 'Unsupported Media Type',
  417: 'Expectation Failed',
  429: 'Too Many Requests',
  431: 'Request Header Fields Too Large',
  500: 'Internal Server Error',
  503: 'Service Unavailable',
} as const satisfies Partial<Record<ContentfulStatusCode, string>>

export type ErrorStatus = keyof typeof reasonPhrases

/** An error before any domain rule was checked. */
export class RequestError extends Error {
  override readonly name = 'RequestError'
  constructor(
    readonly status: ErrorStatus,
    description: string,
    readonly details: ErrorReply['error_details'] = null,
    readonly headers: Readonly<Record<string, string>> = {},
    /** What the request should have signed; for the log of refusals. */
    readonly toSign?: string,
  ) {
    super(description)
  }
}

/** A body or query whose fields do not fit. */
export class Malformed extends Error {
  override readonly name = 'Malformed'
  constructor(
    readonly details: Readonly<Record<string, string[]>>,
    readonly unlisted: Unlisted = 0,
    /** The refusal that it tells, with what else is wrong. */
    override readonly cause: Error | undefined = undefined,
  ) {
    super('Your request caused validation errors. Please check your data.')
  }
}

export type Issue = {
  readonly code?: string | undefined
  readonly path?: readonly PropertyKey[] | undefined
  readonly message?: string | undefined
  /** Names that an object may not have. */
  readonly keys?: readonly string[] | undefined
}

const notKnown = ({ path = [], keys = [] }: Issue): readonly Issue[] =>
  keys.map((key) => ({ path: [...path, key], message: 'Is not known here.' }))

/** At most so many problems are reported at once. */
export const mostIssues = 50

/** How many problems are not listed, where all have been looked for. */
export type Unlisted = number | 'some'

const moreIssues = (count: Unlisted): string =>
  count === 'some' ? 'There may be more problems.' : `${count} more problems are not listed.`

type Issues = {
  readonly issues: readonly Issue[]
  /** Besides these. */
  readonly unlisted?: Unlisted
  readonly cause?: Error | undefined
}

/** The fields at fault, nested ones as `line_items.0.total`. */
export const malformed = ({ issues, unlisted = 0, cause }: Issues): Malformed => {
  const details: Record<string, string[]> = {}
  const ofAnotherType = new Set<string>()
  const listed = issues
    .slice(0, mostIssues)
    .flatMap((issue) => (issue.code === 'unrecognized_keys' ? notKnown(issue) : [issue]))
  for (const { code, path = [], message = 'Is not valid.' } of listed) {
    const field = path.join('.')
    // Report only the wrong type of a field, not its other problems.
    if (ofAnotherType.has(field)) continue
    if (code === 'invalid_type') ofAnotherType.add(field)
    ;(details[field] ??= []).push(message)
  }
  const more = unlisted === 'some' ? unlisted : unlisted + Math.max(0, issues.length - mostIssues)
  if (more !== 0) (details[''] ??= []).push(moreIssues(more))
  return new Malformed(details, more, cause)
}

/** Without the problems of fields that are at fault already, or lie in one that is. */
export const withoutReported = <Problem extends Issue>(
  isAtFault: (field: string) => boolean,
  further: readonly Problem[],
): readonly Problem[] =>
  further.filter(
    ({ path = [] }) => !path.some((_, index) => isAtFault(path.slice(0, index + 1).join('.'))),
  )

/** With further problems, except those of fields that are at fault already. */
export const withFurther = (
  { details, unlisted, cause }: Malformed,
  further: readonly Issue[],
): Malformed => {
  const more = unlisted === 0 ? undefined : moreIssues(unlisted)
  const listed = Object.entries(details).flatMap(([field, messages]) =>
    messages.flatMap((message) => (field + message === more ? [] : [{ path: [field], message }])),
  )
  const issues = [...listed, ...withoutReported((field) => Object.hasOwn(details, field), further)]
  return malformed({ issues, unlisted, cause })
}

export type ErrorAnswer = {
  readonly status: ErrorStatus
  readonly body: ErrorReply
  readonly headers?: Readonly<Record<string, string>>
}

const validationErrorType = 'validation_error'

export const answerTo = (status: ErrorStatus, description: string): ErrorAnswer => ({
  status,
  body: { error_type: reasonPhrases[status], error_description: description, error_details: null },
})

export const answerToMalformed = ({ message, details }: Malformed): ErrorAnswer => ({
  status: 400,
  body: { error_type: validationErrorType, error_description: message, error_details: details },
})
