/** What was asked for cannot be done; the message says why. */
export class OperatorError extends Error {
  override readonly name = 'OperatorError'
}

export const fail = (message: string): never => {
  throw new OperatorError(message)
}
