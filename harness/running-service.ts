import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { givenKeys } from './keys.ts'

/** A service that answers, in this process or in one of its own. */
export type RunningService = {
  /** Where it listens: `http://127.0.0.1:…`. */
  readonly address: string
  /** Resolves once it has ended: to the exit code of a process. */
  readonly stop: () => Promise<number | null | void>
}

type Given = Readonly<Record<string, string>>

/** What production needs, where the given settings say nothing else. */
export const withProduction = (given: Given): Given => ({
  ...(given['MODE'] === 'production' && {
    PUBLIC_URL: 'https://pay.example',
    VAULT_KEY_FILE: 'none',
  }),
  ...given,
})

/** A new data directory, with keys so that the service need not make them. */
export const newFolder = (): string => givenKeys(mkdtempSync(join(tmpdir(), 'daybook-test-')))
