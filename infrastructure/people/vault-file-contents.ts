import { rmSync } from 'node:fs'
import { peopleAtOnce, type KeptPerson, type VaultContents } from './vault-contents.ts'
import { openVaultFile, standingIn } from './vault-file.ts'
import type { VaultKey } from './vault-keys.ts'
import { vaultNameOf } from './vault-name.ts'
import { aboutPerson, aboutSecret, openWrapping } from './vault-wrapping.ts'
import { nextTurn, randomBytes } from '../../application/machine.ts'

type Row = { readonly id: string; readonly identifier: Buffer; readonly key: Buffer }
type Secret = { readonly name: string; readonly secret: Buffer }

/** The order of names in both kinds of vaults. */
const byBase64 = (one: Buffer, other: Buffer): number =>
  one.toString('base64') < other.toString('base64') ? -1 : 1

const statementsOf = (sqlite: ReturnType<typeof openVaultFile>) => ({
  secrets: sqlite.prepare<[], Secret>('SELECT name, secret FROM secrets ORDER BY name'),
  keepSecret: sqlite.prepare('INSERT OR IGNORE INTO secrets VALUES (?, ?)'),
  count: sqlite.prepare<[], number>('SELECT count(*) FROM people').pluck(),
  after: sqlite.prepare<[string, number], Row>(
    'SELECT * FROM people WHERE id > ? ORDER BY id LIMIT ?',
  ),
  find: sqlite.prepare<[string], Row>('SELECT * FROM people WHERE id = ?'),
  names: sqlite.prepare<[string], Buffer>('SELECT name FROM named WHERE person = ?').pluck(),
  // An identifier is unique. In an unfinished copy its previous holder may still have it.
  takeFrom: sqlite.prepare(
    'UPDATE people SET identifier = randomblob(32) WHERE identifier = ? AND id <> ?',
  ),
  put: sqlite.prepare('INSERT OR REPLACE INTO people VALUES (?, ?, ?)'),
  remove: sqlite.prepare('DELETE FROM people WHERE id = ?'),
  removeNames: sqlite.prepare('DELETE FROM named WHERE person = ?'),
  addName: sqlite.prepare('INSERT OR REPLACE INTO named VALUES (?, ?)'),
})

/**
 * The complete contents of a vault's file, which is created if missing.
 * Long because it is the list of what a vault that is moved must do.
 */
export const contentsOfFile = (file: string, keys: readonly VaultKey[]): VaultContents => {
  const sqlite = openVaultFile(file)
  const standing = standingIn(sqlite)
  const wrapping = openWrapping(sqlite, keys)
  const statements = statementsOf(sqlite)

  const personOf = ({ id, identifier, key }: Row): KeptPerson => ({
    ...{ id, identifier, key: wrapping.reveal(key, aboutPerson(id)) },
    names: statements.names.all(id).toSorted(byBase64),
  })
  const secrets = (): readonly Secret[] =>
    statements.secrets.all().map(({ name, secret }) => {
      return { name, secret: wrapping.reveal(secret, aboutSecret(name)) }
    })
  const name = (): string | undefined => {
    const kept = secrets().find((one) => one.name === 'identifiers')
    return kept && vaultNameOf(kept.secret)
  }
  const write = async (work: () => void): Promise<void> => {
    await nextTurn()
    sqlite.transaction(work).immediate()
  }

  return {
    shown: file,
    name,
    isEmpty: () => statements.secrets.get() === undefined && statements.count.get() === 0,
    standing: standing.read,
    stand: async (word) => standing.write(word),
    secrets,
    keepSecrets: (given) =>
      write(() => {
        const [first] = keys
        if (first && statements.secrets.get() === undefined) wrapping.wrapBy(first)
        for (const { name: id, secret } of given)
          statements.keepSecret.run(id, wrapping.protect(secret, aboutSecret(id)))
        const vault = name()
        if (vault !== undefined) wrapping.name(vault)
      }),
    count: () => statements.count.get() ?? 0,
    *people() {
      for (let after = ''; ;) {
        const rows = statements.after.all(after, peopleAtOnce)
        if (rows.length === 0) return
        yield rows.map(personOf)
        after = rows.at(-1)?.id ?? after
      }
    },
    person: (id) => {
      const row = statements.find.get(id)
      return row && personOf(row)
    },
    put: (people) =>
      write(() => {
        for (const { id, key, identifier = randomBytes(32), names } of people) {
          statements.takeFrom.run(identifier, id)
          statements.put.run(id, identifier, wrapping.protect(key, aboutPerson(id)))
          statements.removeNames.run(id)
          for (const one of names) statements.addName.run(one, id)
        }
      }),
    erase: (people) =>
      write(() => {
        for (const id of people)
          for (const statement of [statements.remove, statements.removeNames]) statement.run(id)
      }),
    discard: async () => {
      // Overwrites before deleting, because secure_delete is on.
      await write(
        () =>
          void sqlite.exec(
            'DELETE FROM people; DELETE FROM named; DELETE FROM secrets; DELETE FROM wrapping',
          ),
      )
      sqlite.close()
      for (const suffix of ['', '-used', '-used-journal']) rmSync(file + suffix, { force: true })
    },
    close: async () => void sqlite.close(),
  }
}
