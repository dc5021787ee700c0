import { isReadable, showsSomething } from '../domain/blanks.ts'
import { phoneDigits } from '../application/people.ts'
import { merchants } from '../domain/aggregates.ts'
import type { MerchantData } from '../domain/merchant/merchant.ts'
import { ratePattern } from '../domain/money/money.ts'
import type { Core } from '../service/core.ts'
import { fail } from '../infrastructure/failures.ts'
import { readFile } from 'node:fs/promises'
import { phoneReader } from '../infrastructure/national-numbers.ts'
import { readPublicKey } from '../infrastructure/keys/keys.ts'
import { reasonOf } from '../infrastructure/system-errors.ts'
import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { text } from 'node:stream/consumers'

const pattern = /^(\d{4}-\d\d-\d\d)(?:[ T](\d\d:\d\d:\d\d(?:\.\d{1,3})?)Z?)?$/

/** A day or second in UTC. @throws for anything else, such as 30 February */
export const instantOf = (text: string): number => {
  const [, day = '', time = '00:00:00'] = pattern.exec(text) ?? []
  const at = Date.parse(`${day}T${time}Z`)
  const isReal = !Number.isNaN(at) && new Date(at).toISOString().startsWith(day)
  return isReal ? at : fail(`${text} is not a time as YYYY-MM-DD, or YYYY-MM-DD hh:mm:ss, in UTC`)
}

/** Hours of an overlap, up to a year. @throws OperatorError */
export const hoursOf = (text: string): number =>
  /^\d{1,4}(?:\.\d{1,3})?$/.test(text) && Number(text) <= 8_784
    ? Number(text)
    : fail(`${text} is not a number of hours from 0 to 8784`)

export const contentOf = async (file: string): Promise<Buffer> => {
  try {
    return await readFile(file)
  } catch (error) {
    const reason = reasonOf(error)
    if (reason === undefined) throw error
    return fail(`${file} cannot be read: ${reason}`)
  }
}

export const publicKeyIn = async (file: string): Promise<string> =>
  readPublicKey((await contentOf(file)).toString('utf8')) ??
  fail(`${file} contains no RSA public key of 2048 to 4096 bits, PEM or OpenSSH`)

export const idPattern = /^[a-zA-Z0-9_-]{1,64}$/

/** @throws OperatorError if it is not a rate */
export const rateOf = (text: string): string =>
  ratePattern.test(text) ? text : fail(`${text} must be a rate from 0 to 1, such as 0.009`)

/** @throws OperatorError if it is not a phone number */
export const phoneOf = ({ settings }: Pick<Core, 'settings'>, text: string): string =>
  phoneReader(settings.COUNTRY)(text) ??
  phoneDigits(text) ??
  fail('a phone number has 8 to 15 digits')

/** Names appear on pages and in payout files. */
export const checkName = (name: string | undefined): void => {
  if (name === undefined) return
  if (!showsSomething(name)) fail('a name has at least one non-blank character')
  if (!isReadable(name)) fail('a name is one line, without characters that nobody sees')
}

/** @throws OperatorError if there is no such merchant */
export const presentMerchant = async ({ find }: Core, id: string): Promise<MerchantData> => {
  const entry = await find(merchants, id)
  return entry.status === 'present' ? entry.data : fail(`no merchant ${id}`)
}

const standardInput = '-'

/** Editors end a file with a line break. */
const withoutLineBreak = (content: string): string => content.replace(/\r?\n$/, '')

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
