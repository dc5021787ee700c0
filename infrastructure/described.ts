const notRunning = (): never => {
  throw new Error('A route that is only described cannot be asked.')
}

/**
 * Stands for the needs of routes that are described and never asked: what is known without a
 * service is there, and whatever else is called fails.
 */
export const describedBy = (known: object): any =>
  new Proxy(known, {
    get: (from, name) => (Reflect.has(from, name) ? Reflect.get(from, name) : notRunning),
  })
