export type MaybePromise<Value> = Value | Promise<Value>

/** Continues synchronously if the value is available: even a resolved promise costs a turn. */
export const andThen = <Value, Result>(
  value: MaybePromise<Value>,
  next: (value: Value) => MaybePromise<Result>,
): MaybePromise<Result> => (value instanceof Promise ? value.then(next) : next(value))
