import { fileURLToPath } from 'node:url'
import { defineConfig, mergeConfig } from 'vitest/config'
import usual from '../vitest.config.ts'

const path = (file: string): string => fileURLToPath(new URL(file, import.meta.url))

/**
 * The event store contract with another client: `npm run test:kurrentdb`. The messages of both
 * clients cannot be loaded into one process, so the server has a separate one.
 */
export default mergeConfig(
  { ...usual, test: { ...usual.test, include: [] } },
  defineConfig({
    test: {
      root: path('..'),
      include: ['tests/event-store/event-store.test.ts'],
      testNamePattern: /EventStoreDB/,
      globalSetup: path('event-store/server-process.ts'),
      alias: [
        { find: /^@eventstore\/db-client$/, replacement: path('event-store/kurrentdb-client.ts') },
      ],
    },
  }),
)
