const unavailable = (): never => {
  throw new Error('not available to a route that is only described, or read as of a moment')
}

/**
 * The needs of all slices for routes that are only described, or only read as of an earlier moment:
 * every slice has the known members, and calling any other member fails.
 */
export const knownNeeds = <Needs extends object>(known: object): Needs => {
  const needs = new Proxy(known, {
    get: (from, name) => (Reflect.has(from, name) ? Reflect.get(from, name) : unavailable),
  })
  return new Proxy({}, { get: () => needs }) as Needs
}
