import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { fail } from '../infrastructure/failures.ts'
import { contentOf } from './files.ts'

const standardInput = '-'

/** Editors end a file with a line break. */
const withoutLineBreak = (given: string): string => given.replace(/\r?\n$/, '')

/** Prompts on the terminal, without echo. */
const prompt = async (what: string): Promise<string> => {
  process.stderr.write(`${what}: `)
  const output = new Writable({ write: (_chunk, _encoding, done) => done() })
  const terminal = createInterface({ input: process.stdin, output, terminal: true })
  try {
    return await terminal.question('')
  } finally {
    terminal.close()
    process.stderr.write('\n')
  }
}

/**
 * A secret from an argument, a file or standard input, or a prompt on a terminal. Arguments are
 * visible to everybody on the machine and kept in shell histories.
 */
export const secretOf = async (
  what: string,
  argument: string | undefined,
  file: string | undefined,
  isNeeded: boolean,
): Promise<string | undefined> => {
  if (argument !== undefined && file !== undefined) fail(`give the ${what} once`)
  if (argument === standardInput || file === standardInput)
    return withoutLineBreak(await text(process.stdin))
  if (file !== undefined) return withoutLineBreak((await contentOf(file)).toString('utf8'))
  if (argument !== undefined) return argument
  return isNeeded && process.stdin.isTTY ? prompt(what) : undefined
}
