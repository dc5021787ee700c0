import { randomBytes } from 'node:crypto'
import type Database from '../sqlite.ts'
import { standingIn } from './vault-file.ts'
import { derivedSecret, seedName } from './vault-name.ts'
import { checkNotMoved } from './vault-standing.ts'
import { aboutSecret, type openWrapping } from './vault-wrapping.ts'

/** The secrets of the installation in a vault's file. */
export const secretsIn = (
  sqlite: Database.Database,
  { protect, reveal }: ReturnType<typeof openWrapping>,
) => {
  const find = sqlite.prepare<[string], Buffer>('SELECT secret FROM secrets WHERE name = ?').pluck()
  const add = sqlite.prepare('INSERT OR IGNORE INTO secrets VALUES (?, ?)')
  const list = sqlite.prepare<[string], { readonly name: string; readonly secret: Buffer }>(
    'SELECT name, secret FROM secrets WHERE name GLOB ? ORDER BY name',
  )
  const { read: standing } = standingIn(sqlite)

  const found = (name: string): Buffer | undefined => {
    const stored = find.get(name)
    return stored && reveal(stored, aboutSecret(name))
  }
  const keep = (name: string, value: Buffer): void =>
    void add.run(name, protect(value, aboutSecret(name)))

  /** Random or derived, and created on first use. */
  const secret = (name: string): Buffer => {
    const known = found(name)
    if (known) return known
    checkNotMoved(standing())
    const seed = name === seedName ? undefined : found(seedName)
    keep(name, seed ? derivedSecret(seed, name) : randomBytes(32))
    return secret(name)
  }

  return {
    secret,
    keep,
    listed: (prefix: string) =>
      list
        .all(`${prefix}*`)
        .map(({ name, secret }) => ({ name, secret: reveal(secret, aboutSecret(name)) })),
    /**
     * Whether the vault can have no people yet, because the first secret is needed to find them.
     */
    isEmpty: (): boolean => find.get('identifiers') === undefined,
  }
}
