/** What is at hand, or comes later. */
export type Soon<Value> = Value | Promise<Value>

/** Goes on with it: at once where it is at hand, for even a promise that is kept already makes its owner wait. */
export const goOn = <Value, Result>(
  soon: Soon<Value>,
  next: (value: Value) => Soon<Result>,
): Soon<Result> => (soon instanceof Promise ? soon.then(next) : next(soon))
