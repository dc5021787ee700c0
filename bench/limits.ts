import { createPublicKey, generateKeyPairSync, sign, verify } from 'node:crypto'
import { join } from 'node:path'
import { commitInGroups, openRawFile, textTable } from './raw-commits.ts'

/**
 * Rows of 600 bytes that raw better-sqlite3 commits per second, for a number of rows per commit.
 */
export const rawCommits = (directory: string, group: number, seconds: number): number => {
  const database = openRawFile(join(directory, `raw-${group}.sqlite`), textTable)
  const row = 'x'.repeat(600)
  const insert = database.prepare('INSERT INTO rows (row) VALUES (?)')
  const rate = commitInGroups(database, group, seconds, () => insert.run(row))
  database.close()
  return rate
}

/** RSA-2048 signatures over SHA-256 verified per second, with an imported key. */
export const rsaVerifications = (seconds: number): number => {
  const pair = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const key = createPublicKey(pair.publicKey.export({ type: 'spki', format: 'pem' }))
  const text = Buffer.from(
    'PUT|http://127.0.0.1:8080/merchant/v1/payment_request/|'.padEnd(300, 'x'),
  )
  const signature = sign('sha256', text, pair.privateKey)
  let count = 0
  const from = performance.now()
  while (performance.now() < from + seconds * 1000) {
    if (!verify('sha256', text, key, signature)) throw new Error('a right signature was refused')
    count += 1
  }
  return (count / (performance.now() - from)) * 1000
}
