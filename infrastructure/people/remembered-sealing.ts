import { cached, generationalCache } from '../../application/generational-cache.ts'
import { seal, unseal } from './sealing.ts'

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
