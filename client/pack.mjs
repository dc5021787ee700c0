// Copies the built client into the package: `npm pack` in this folder.
import { cpSync, rmSync } from 'node:fs'

rmSync('dist', { recursive: true, force: true })
cpSync('../dist/client', 'dist', { recursive: true })
cpSync('../LICENSE', 'LICENSE')
