import { readFileSync } from 'node:fs'

const packageFile = new URL(
  /\/dist(?:-\w+)?\//.test(import.meta.url) ? '../../package.json' : '../package.json',
  import.meta.url,
)

export const { version } = JSON.parse(readFileSync(packageFile, 'utf8')) as { version: string }
