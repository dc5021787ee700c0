import { cached, generationalCache } from '../../application/generational-cache.ts'
import { seal, unseal } from './sealing.ts'

/** What a node remembers of people and of their texts. */
export const peopleRemembered = 10_000

/** In characters. Names and numbers recur; the contents of files do not, and would fill memory. */
const longestRemembered = 1_000

/** Seals with people's keys: the same few texts are sealed and unsealed again and again. */
export const sealingWith = (keyOf: (person: string) => Buffer | undefined) => {
  const textsBySealed = generationalCache<string, string>(peopleRemembered)
  const sealedByText = generationalCache<string, string>(peopleRemembered)
  return {
    /** @throws Error for a person who is unknown or erased */
    seal: (person: string, text: string): string => {
      const key = keyOf(person)
      if (!key) throw new Error('there is no key of this person')
      if (text.length > longestRemembered) return seal(key, text)
      return cached(sealedByText, `${person} ${text}`, () => seal(key, text))
    },
    /** Undefined for a person who was erased. */
    unseal: (person: string, sealed: string): string | undefined => {
      const key = keyOf(person)
      if (key === undefined || sealed.length > longestRemembered) return key && unseal(key, sealed)
      return cached(textsBySealed, `${person} ${sealed}`, () => unseal(key, sealed))
    },
    /** After an erasure. */
    forget: (): void => {
      textsBySealed.clear()
      sealedByText.clear()
    },
  }
}
