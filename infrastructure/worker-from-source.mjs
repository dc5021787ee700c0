// A worker does not run TypeScript by itself: in a checkout it starts here, in a built package with
// its own module.
import { register } from 'tsx/esm/api'

register()
await import(process.argv[2])
