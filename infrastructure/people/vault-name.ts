import { createHmac } from 'node:crypto'
import Database, { inFile } from '../sqlite.ts'
import { isWrapped, aboutSecret, type Wrapping } from './vault-wrapping.ts'

export const digestOf = (identifiers: Buffer, text: string): Buffer =>
  createHmac('sha256', identifiers).update(text).digest()

/** Seed of the secrets of a vault that was once in streams, wherever it is now. */
export const seedName = 'seed'

export const derivedSecret = (seed: Buffer, name: string): Buffer =>
  digestOf(seed, aboutSecret(name))

/** Identifies a vault and reveals nothing of its contents. */
export const vaultNameOf = (identifiers: Buffer): string =>
  digestOf(identifiers, 'the name of this vault').toString('hex').slice(0, 32)

const wrappingOf = (sqlite: Database.Database): Wrapping | undefined => {
  const table = sqlite.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'wrapping'").get()
  return table === undefined
    ? undefined
    : (sqlite.prepare('SELECT key_id, vault FROM wrapping').get() as Wrapping)
}

/** Reads a vault's name without opening it for use; `name` is undefined for an empty vault. */
export const readVaultName = (file: string) =>
  inFile(file, () => {
    const sqlite = new Database(file, { readonly: true, fileMustExist: true })
    try {
      const rows = sqlite.pragma('integrity_check') as readonly { integrity_check: string }[]
      const damage = rows.map(({ integrity_check: text }) => text).filter((text) => text !== 'ok')
      const secret = sqlite.prepare("SELECT secret FROM secrets WHERE name = 'identifiers'")
      const identifiers = secret.pluck().get() as Buffer | undefined
      const wrapping = wrappingOf(sqlite)
      const name = identifiers && !isWrapped(identifiers) ? vaultNameOf(identifiers) : undefined
      return {
        name: wrapping?.vault ?? name,
        wrappedBy: wrapping?.key_id,
        people: Number(sqlite.prepare('SELECT count(*) FROM people').pluck().get()),
        damage: damage.map((text) => `the vault: ${text}`),
      }
    } finally {
      sqlite.close()
    }
  })
