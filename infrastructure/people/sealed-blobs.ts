import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Blobs, SealedBlobs } from '../../application/blobs.ts'
import { readName, sealName, type People } from '../../application/people.ts'
import { refuse } from '../../domain/refusal.ts'
import { hashOf } from '../blobs/blob-directory.ts'

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
