import { NotFound } from './errors.ts'
import type { List } from './options.ts'

type Page = { readonly uris: readonly string[]; readonly next: string | null }

/** Some lists hold their entries beside the paths. */
const embeddedIn = ({ uris: _, next: __, ...rest }: Page): readonly unknown[] | undefined =>
  Object.values(rest).find((value) => Array.isArray(value))

const atOnce = 8

/** A list by its cursor: what is there from start to end is given once. */
export const listFrom = (first: string, get: (uri: string) => Promise<any>): List<unknown> => {
  async function* pages(): AsyncGenerator<Page> {
    for (let uri: string | null = first; uri !== null;) {
      const page: Page = await get(uri)
      yield page
      uri = page.next
    }
  }
  const read = (uri: string): Promise<unknown> =>
    get(uri).catch((error: unknown) => {
      // It has gone since its page was read.
      if (error instanceof NotFound) return undefined
      throw error
    })
  async function* entriesOf(page: Page): AsyncGenerator<unknown> {
    const embedded = embeddedIn(page)
    if (embedded) return yield* embedded
    for (let from = 0; from < page.uris.length; from += atOnce) {
      const found = await Promise.all(page.uris.slice(from, from + atOnce).map(read))
      yield* found.filter((entry) => entry !== undefined)
    }
  }
  return {
    async *[Symbol.asyncIterator]() {
      for await (const page of pages()) yield* entriesOf(page)
    },
    async *uris() {
      for await (const { uris } of pages()) yield* uris
    },
  }
}
