// @module-tag long
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { decodeJwt, decodeProtectedHeader } from 'jose'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { keySetLifetime } from '../../application/tokens.ts'
import { addIdTokenKey, makeIdTokens } from '../../infrastructure/people/id-tokens.ts'
import type { Vault } from '../../infrastructure/people/vault-port.ts'
import { openVault } from '../../infrastructure/people/vault.ts'

let folder: string

let vault: Vault

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'daybook-id-tokens-'))
  vault = openVault(join(folder, 'vault.sqlite'))
})

afterEach(async () => {
  await vault.close()
  rmSync(folder, { recursive: true })
})

const who = { subject: 's', audience: 'shop', accessToken: 'a', nonce: null, signedInAt: null }

const idTokens = (machineTime: (at: number) => Promise<number> = async (at) => at) =>
  makeIdTokens(vault, () => 'https://pay.example', machineTime)

test('given a token signed while a key is made, it is the same when made again', async () => {
  let now = 0
  await addIdTokenKey(vault, () => now)
  const { sign } = idTokens()
  now = 1000
  const rotated = addIdTokenKey(vault, () => now)
  now = 2000
  const token = await sign({ ...who, issuedAt: now })
  now = 3000
  const { kid } = await rotated
  expect(await sign({ ...who, issuedAt: 2000 })).toBe(token)
  const later = await sign({ ...who, issuedAt: 303_000 })
  expect(decodeProtectedHeader(later).kid).toBe(kid)
})

test('given a new key, it is published at once, and signs once all have fetched it', async () => {
  await addIdTokenKey(vault, () => 0)
  const { sign, published } = idTokens()
  const { kid, signsFrom } = await addIdTokenKey(vault, () => 5_000)
  expect((await published()).keys).toContainEqual(expect.objectContaining({ kid }))
  expect(signsFrom).toBe(5_000 + 1000 * keySetLifetime)
  const signerAt = async (issuedAt: number) =>
    decodeProtectedHeader(await sign({ ...who, issuedAt })).kid
  expect(await signerAt(signsFrom - 1)).not.toBe(kid)
  expect(await signerAt(signsFrom)).toBe(kid)
})

test('given a clock that is ahead, the times of a token are those of the machine', async () => {
  await addIdTokenKey(vault, () => 0)
  const day = 86_400_000
  const { sign } = idTokens(async (at) => at - day)
  const token = await sign({ ...who, issuedAt: day + 500_000, signedInAt: day + 20_000 })
  expect(decodeJwt(token)).toMatchObject({ iat: 500, exp: 4_100, auth_time: 20 })
})
