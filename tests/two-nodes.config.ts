import { defineConfig, mergeConfig } from 'vitest/config'
import ofProcesses from './process.config.ts'

type Skipped = { readonly because: string; readonly tests: readonly string[] }

/** Tests that need a single process, by the beginning of their titles. */
const skipped: readonly Skipped[] = [
  {
    because: 'a backup is one of the embedded log: a database has its own',
    tests: [
      'given a service that takes captures, when it is backed up',
      'given a backup, when it is checked',
      'given a folder that is in use, then nothing is backed up there',
      'given a backup that lost something, when it is checked',
    ],
  },
  {
    because: 'it damages, moves or restores the file of the embedded log',
    tests: [
      'given a wrong bit in the write-ahead log',
      'given a changed event, then its payment is refused by name',
      'given a changed event and no read models',
      'given a vault elsewhere and an older log',
      'a log that is restored under read models of more',
      'a log that is moved away takes nothing',
    ],
  },
  {
    because: 'it harms what one process has, and the other answers in its place',
    tests: [
      'a vault that cannot be read shows in readiness',
      'read models whose damage is found by background work',
      'read models whose damage shows when they are folded into',
    ],
  },
  {
    because: 'it waits until nobody listens at the address of a process: here another one does',
    tests: ['two processes on one folder see each other’s writes at once'],
  },
  {
    because: 'for 20 ms another process may accept a user that was shut out, as is documented',
    tests: [
      'a user whom one has let in from everywhere is let in by the other',
      'a user whom one has made a superuser may manage users at the other',
    ],
  },
]

for (const { because, tests } of skipped) {
  console.log(`skipped, as ${because}:`)
  for (const title of tests) console.log(`  ${title} …`)
}

const literally = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
const titles = skipped.flatMap(({ tests }) => tests.map(literally))

/**
 * Tests of the built program, with two alternating nodes on the protocol server in place of each
 * process (`npm run test:two-nodes`).
 */
export default mergeConfig(
  ofProcesses,
  defineConfig({
    test: {
      env: { DAYBOOK_NODES: '2' },
      testNamePattern: new RegExp(`^(?!.*(?:${titles.join('|')}))`),
    },
  }),
)
