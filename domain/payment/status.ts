export type PaymentStatus = 'pending' | 'auth' | 'ok' | 'fail'

/** 1xxx and 3xxx are temporary, 2xxx success, 4xxx and 5xxx failure (interface 5). */
export const statusCodes = {
  PENDING: 1003,
  OK: 2000,
  AUTH: 3008,
  NOT_FOUND: 4004,
  ABORTED: 4019,
  REJECTED: 5006,
  INSUFFICIENT_FUNDS: 5007,
  AMOUNT_LIMIT_EXCEEDED: 5008,
  REQUEST_EXPIRED: 5011,
  AUTH_EXPIRED: 5012,
} as const

export type StatusCodeName = keyof typeof statusCodes
export type StatusCode = (typeof statusCodes)[StatusCodeName]

export const statusCodeDescriptions: Readonly<Record<StatusCodeName, string>> = {
  PENDING: 'The request waits for the payer.',
  OK: 'The request has succeeded.',
  AUTH: 'The payer has authorised the payment; it can be captured.',
  NOT_FOUND: 'The customer named in the request is not known.',
  ABORTED: 'The merchant aborted the request or released the authorisation.',
  REJECTED: 'The payer declined the request.',
  INSUFFICIENT_FUNDS: 'The payer’s funding source did not have enough funds.',
  AMOUNT_LIMIT_EXCEEDED: 'The amount is above a limit of the payer’s funding source.',
  REQUEST_EXPIRED: 'The payer did not answer in time.',
  AUTH_EXPIRED: 'The authorisation expired before all of it was captured.',
}
