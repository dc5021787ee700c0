/** What `daybook/client` gives. */
export { callbackKeys, type CallbackKeys } from './callback-keys.ts'
export { Client } from './client.ts'
export * from './errors.ts'
export type * from './generated/operations.ts'
export type { CallOptions, ClientOptions, Clock, List, Pages } from './options.ts'
export type { CallbackRequest } from './received.ts'
export { seenInMemory, type Seen } from './seen.ts'
export { verifyCallback, type Callback, type CallbackOptions } from './verify-callback.ts'
