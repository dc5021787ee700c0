/** All errors of this client. */
export class DaybookError extends Error {
  override readonly name: string = this.constructor.name
}

/** No answer came that could be read: whether it was done is unknown, and safe to send again. */
export class NoAnswer extends DaybookError {}

export type Refusal = {
  /** Method and path. */
  readonly request: string
  readonly status: number
  readonly error_type: string | null
  readonly error_description: string | null
  /** Problems by field, such as `line_items.0.total`. */
  readonly error_details: Readonly<Record<string, readonly string[]>> | null
  /** Name it when you ask about a request. */
  readonly request_id: string | null
  /** Milliseconds to wait, where the service says so. */
  readonly retry_after: number | null
}

const wordsOf = ({ request, status, ...fault }: Refusal): string => {
  const fields = Object.entries(fault.error_details ?? {})
  const details = fields.map(([field, problems]) => `${field}: ${problems.join(' ')}`).join('; ')
  return `${request}: ${status} ${details || fault.error_description || fault.error_type || ''}`
}

export interface ServiceError extends Refusal {}

/** The service answered with an error. */
export class ServiceError extends DaybookError {
  constructor(refusal: Refusal) {
    super(wordsOf(refusal))
    Object.assign(this, refusal)
  }
}

/** 400: `error_details` names the fields. */
export class ValidationError extends ServiceError {}
/** 401: which check of the credentials failed. */
export class Unauthorized extends ServiceError {}
/** 404: there is no such resource, or it is another merchant's. */
export class NotFound extends ServiceError {}
/** 409: it conflicts with what is there, such as an id that was used with other data. */
export class Conflict extends ServiceError {}
/** 429: too much was asked at once. */
export class TooManyRequests extends ServiceError {}
/** 502, 503, 504: it cannot answer just now. */
export class Unavailable extends ServiceError {}

/** A message that is not to be believed: answer 400, and do nothing. */
export class InvalidCallback extends DaybookError {
  constructor(
    readonly reason: 'signature' | 'timestamp' | 'merchant' | 'message',
    message: string,
  ) {
    super(message)
  }
}

const classes: Readonly<Record<number, typeof ServiceError>> = {
  400: ValidationError,
  401: Unauthorized,
  404: NotFound,
  409: Conflict,
  429: TooManyRequests,
  502: Unavailable,
  503: Unavailable,
  504: Unavailable,
}

/** The error that an answer means; a proxy in between may have worded it. */
export const errorOf = (refusal: Refusal): ServiceError =>
  new (classes[refusal.status] ?? ServiceError)(refusal)
