import { createCipheriv, createDecipheriv, createHmac } from 'node:crypto'
import { cached, generationalCache } from '../../application/generational-cache.ts'
import type { Vault } from './vault-port.ts'
import type { Blobs, SealedBlobs } from '../../application/blobs.ts'
import { readName, sealName, type People } from '../../application/people.ts'
import { refuse } from '../../domain/refusal.ts'
import { hashOf } from '../blobs/blob-directory.ts'
import { nextTurn } from '../../application/machine.ts'

/**
 * Seals contents in the format of names (`sealed:<person>:<text>`), so the log need not know whose
 * they are.
 */
export const sealedBlobs = (blobs: Blobs, people: People): SealedBlobs => ({
  seal: async (content, person) => {
    // Contents may be large: let other work run in between.
    await nextTurn()
    await people.caughtUp()
    if (!people.hasPerson(person)) return refuse('resource_is_unknown')
    const text = Buffer.from(content).toString('base64')
    const name = sealName(people, person, text)
    await nextTurn()
    const hash = hashOf(content)
    const sealed = Buffer.from(name)
    return { hash, sealedHash: hashOf(sealed), keep: () => blobs.put(sealed) }
  },
  get: async ({ hash, sealedHash }) => {
    const kept = await blobs.get(sealedHash ?? hash)
    if (!kept) throw new Error(`the blob ${sealedHash ?? hash} is missing`)
    if (sealedHash === undefined) return kept
    const text = readName(people, Buffer.from(kept).toString())
    return text === undefined ? undefined : new Uint8Array(Buffer.from(text, 'base64'))
  },
})

const nonceBytes = 12

const tagBytes = 16

/**
 * Encrypts with AES-256-GCM. The nonce is derived from key and text: equal texts seal equally, so
 * repeats are recognised, and no nonce is used for two texts.
 */
export const seal = (key: Buffer, text: string): string => {
  const nonce = createHmac('sha256', key).update('nonce:').update(text).digest()
  const cipher = createCipheriv('aes-256-gcm', key, nonce.subarray(0, nonceBytes))
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
  return Buffer.concat([nonce.subarray(0, nonceBytes), cipher.getAuthTag(), sealed]).toString(
    'base64url',
  )
}

/** Undefined if the key is wrong or the text was altered. */
export const unseal = (key: Buffer, sealed: string): string | undefined => {
  const bytes = Buffer.from(sealed, 'base64url')
  if (bytes.length < nonceBytes + tagBytes) return undefined
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, nonceBytes), {
      authTagLength: tagBytes,
    })
    decipher.setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes))
    const text = decipher.update(bytes.subarray(nonceBytes + tagBytes))
    return Buffer.concat([text, decipher.final()]).toString('utf8')
  } catch {
    return undefined
  }
}

const addressesKept = 10_000

/** Seals the addresses of merchants' requests for the log, with a secret of the vault. */
export const sealAddresses = ({ secret }: Pick<Vault, 'secret'>) => {
  const key = secret('addresses')
  const known = generationalCache<string, string>(addressesKept)
  return {
    sealAddress: (address: string): string => cached(known, address, () => seal(key, address)),
    /** Undefined if it was sealed with another vault. */
    openAddress: (sealed: string): string | undefined => unseal(key, sealed),
  }
}

/** Number of people, and of texts, that a node caches. */
export const peopleRemembered = 10_000

/** In characters. Names and numbers recur; file contents do not, and would fill the cache. */
const longestRemembered = 1_000

/** Seals with people's keys, with a cache, because the same few texts recur. */
export const sealingWith = (keyOf: (person: string) => Buffer | undefined) => {
  const textsBySealed = generationalCache<string, string>(peopleRemembered)
  const sealedByText = generationalCache<string, string>(peopleRemembered)
  return {
    /** @throws Error if the person is unknown or erased */
    seal: (person: string, text: string): string => {
      const key = keyOf(person)
      if (!key) throw new Error('there is no key of this person')
      if (text.length > longestRemembered) return seal(key, text)
      return cached(sealedByText, `${person} ${text}`, () => seal(key, text))
    },
    /** Undefined if the person is erased. */
    unseal: (person: string, sealed: string): string | undefined => {
      const key = keyOf(person)
      if (key === undefined || sealed.length > longestRemembered) return key && unseal(key, sealed)
      return cached(textsBySealed, `${person} ${sealed}`, () => unseal(key, sealed))
    },
    /** Call after an erasure. */
    forget: (): void => {
      textsBySealed.clear()
      sealedByText.clear()
    },
  }
}
