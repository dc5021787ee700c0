/** Loaded when needed. In `dist`, a dynamic import of the package itself would have no names. */
export { Agent, request } from 'undici'
