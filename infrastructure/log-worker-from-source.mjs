// A thread does not run TypeScript by itself: in a checkout it begins here, in a built package with the worker itself.
import { register } from 'tsx/esm/api'

register()
await import('./log-worker.ts')
