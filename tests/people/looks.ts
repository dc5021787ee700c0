import type { BrowserContextOptions } from 'playwright-core'
import { test } from 'vitest'
import { desktop, phone } from './page-browser.ts'

/** How pages are looked at: each pair of screen, colours and language is in one of the four. */
const looks = {
  'a phone, light, in English': { ...phone, colorScheme: 'light', locale: 'en' },
  'a phone, dark, in Norwegian': { ...phone, colorScheme: 'dark', locale: 'nb' },
  'a computer, light, in Norwegian': { ...desktop, colorScheme: 'light', locale: 'nb' },
  'a computer, dark, in English': { ...desktop, colorScheme: 'dark', locale: 'en' },
} as const satisfies Record<string, BrowserContextOptions>

/**
 * A test for each look. Pages of one area share their style sheet, so that every run takes one look
 * of each area; areas differ in which. The others are for the night, as are all of those areas
 * whose components are looked at in another one.
 */
export const testLooks = (
  title: string,
  taken: keyof typeof looks | null,
  run: (look: BrowserContextOptions & typeof desktop) => Promise<void>,
): void => {
  for (const [name, look] of Object.entries(looks))
    test(`given ${name}, ${title}`, { tags: name === taken ? [] : ['night'] }, () => run(look))
}
