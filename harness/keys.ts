import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const pemOf = ({ privateKey }: { readonly privateKey: KeyObject }): string =>
  privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()

const rsa = (): string => pemOf(generateKeyPairSync('rsa', { modulusLength: 2048 }))

/** By the file where a service looks for each. */
const keys = {
  'callback-rsa.pem': rsa(),
  'callback-ed25519.pem': pemOf(generateKeyPairSync('ed25519')),
  'sandbox-admin-key.pem': rsa(),
}

/** Puts keys where a new service would make its own, which takes most of its start. */
export const givenKeys = (folder: string): string => {
  if (existsSync(join(folder, 'events.sqlite'))) return folder
  for (const [name, key] of Object.entries(keys))
    if (!existsSync(join(folder, name))) writeFileSync(join(folder, name), key, { mode: 0o600 })
  return folder
}
