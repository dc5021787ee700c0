import type { Core } from '../service/core.ts'

/** Wraps work on the data as a command's action, which prints the result. */
export type WithCore = <Arguments extends unknown[]>(
  work: (core: Core, ...rest: Arguments) => Promise<object>,
) => (...rest: Arguments) => Promise<void>
