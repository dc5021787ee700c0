import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

/** Runs the protocol server in a separate process, unless `EVENTSTOREDB_URL` names a live one. */
export default async () => {
  if (process.env['EVENTSTOREDB_URL'] !== undefined) return
  const file = fileURLToPath(new URL('protocol-server.ts', import.meta.url))
  const words = ['--import', 'tsx', file]
  const child = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'inherit'] })
  const [url] = (await once(createInterface({ input: child.stdout }), 'line')) as [string]
  process.env['EVENTSTOREDB_URL'] = url
  return async () => {
    child.kill()
    await once(child, 'exit')
  }
}
