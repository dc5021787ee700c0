import type { Core } from '../core.ts'

/** Makes the action of a command out of work on the data, whose answer it prints. */
export type WithCore = <Arguments extends unknown[]>(
  work: (core: Core, ...rest: Arguments) => Promise<object>,
) => (...rest: Arguments) => Promise<void>
