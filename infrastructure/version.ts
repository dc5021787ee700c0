import { readFileSync } from 'node:fs'

const packageFile = new URL(
  import.meta.url.includes('/dist/') ? '../../package.json' : '../package.json',
  import.meta.url,
)

export const { version } = JSON.parse(readFileSync(packageFile, 'utf8')) as { version: string }
