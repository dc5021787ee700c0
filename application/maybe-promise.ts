/** What is at hand, or comes later. */
export type MaybePromise<Value> = Value | Promise<Value>

/** Goes on with it: at once where it is at hand, for even a promise that is kept already makes its owner wait. */
export const andThen = <Value, Result>(
  soon: MaybePromise<Value>,
  next: (value: Value) => MaybePromise<Result>,
): MaybePromise<Result> => (soon instanceof Promise ? soon.then(next) : next(soon))
