const notRunning = (): never => {
  throw new Error('This is not there for a route that is only described, or asked as of then.')
}

/**
 * Replaces the dependencies of routes that are only described, or only read as of an earlier
 * moment: known members are returned, and calls of all others fail.
 */
export const describedBy = (known: object): any =>
  new Proxy(known, {
    get: (from, name) => (Reflect.has(from, name) ? Reflect.get(from, name) : notRunning),
  })

/** The same dependencies for the routes of every slice. */
export const forEverySlice = (needs: object): any => new Proxy({}, { get: () => needs })
