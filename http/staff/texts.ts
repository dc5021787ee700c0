import type { Translated } from '../payer/texts.ts'

/** What stands around every page of a staff. */
const english = {
  account: 'Your account',
  sandboxNote: 'Sandbox',
  sandboxWhat: 'No real money moves here.',
  signOut: 'Sign out',
  skip: 'Skip to content',
}

const norwegian: Translated<typeof english> = {
  account: 'Kontoen din',
  sandboxNote: 'Sandkasse',
  sandboxWhat: 'Her flyttes ingen ekte penger.',
  signOut: 'Logg ut',
  skip: 'Hopp til innholdet',
}

export const staffFrameTexts = { en: english, nb: norwegian }
