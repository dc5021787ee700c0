import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { decodeProtectedHeader } from 'jose'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { addIdTokenKey, makeIdTokens } from '../../infrastructure/people/id-tokens.ts'
import { openVault, type Vault } from '../../infrastructure/people/vault.ts'

let folder: string
let vault: Vault

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'daybook-id-tokens-'))
  vault = openVault(join(folder, 'vault.sqlite'))
})
afterEach(() => {
  vault.close()
  rmSync(folder, { recursive: true })
})

test('given a token that is signed while a new key is made, when it is made again later, then it is the same', async () => {
  let now = 0
  await addIdTokenKey(vault, () => now)
  const { sign } = makeIdTokens(vault, () => 'https://pay.example')
  const who = { subject: 's', audience: 'shop', accessToken: 'a', nonce: null, signedInAt: null }
  now = 1000
  const rotated = addIdTokenKey(vault, () => now)
  now = 2000
  const token = await sign({ ...who, issuedAt: now })
  now = 3000
  const kid = await rotated
  expect(await sign({ ...who, issuedAt: 2000 })).toBe(token)
  const later = await sign({ ...who, issuedAt: 3000 })
  expect(decodeProtectedHeader(later).kid).toBe(kid)
})
