const notRunning = (): never => {
  throw new Error('This is not there for a route that is only described, or asked as of then.')
}

/**
 * Stands for the needs of routes that are described and never asked, or asked as of an earlier
 * moment: what is known is there, and whatever else is called fails.
 */
export const describedBy = (known: object): any =>
  new Proxy(known, {
    get: (from, name) => (Reflect.has(from, name) ? Reflect.get(from, name) : notRunning),
  })

/** The same needs for the routes of every slice. */
export const forEverySlice = (needs: object): any => new Proxy({}, { get: () => needs })
