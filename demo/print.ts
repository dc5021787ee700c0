import type { Capture, PaymentOutcome, Refund } from '../client/index.ts'
import { decimalsOf } from '../domain/money/currency.ts'

/** An amount with all the decimals that its currency has. */
export const amountIn = (currency: string, minor: number): string => {
  const decimals = decimalsOf(currency)
  return (minor / 10 ** decimals).toFixed(decimals)
}

/** Minor units of an exact decimal: all the decimals are always there. */
export const minorOf = (amount: string): number => Number(amount.replace('.', ''))

const widths = { time: 10, what: 56 }

const indent = ' '.repeat(6)

export const say = (text = ''): boolean => process.stdout.write(`${text}\n`)

export const sayChapter = (title: string): void =>
  void say(`\n\n${title}\n${'─'.repeat(title.length)}`)

export const sayTitle = (number: number | '', title: string): void =>
  void say(`\n${String(number).padStart(3)}   ${title}`)

/** One line: when, what, and what the till was told of it. */
export const sayStep = (time: string, what: string, lines: readonly string[]): void => {
  const line = `${indent}${time.padEnd(widths.time)}${what}`
  if (lines.length === 0) return void say(line)
  say(`${line.padEnd(indent.length + widths.time + widths.what)}  ${lines.join(', ')}`)
}

const both = (amount: string, additional: string): string =>
  minorOf(additional) === 0 ? amount : `${amount} + ${additional}`

const isAny = (...amounts: string[]): boolean => amounts.some((amount) => minorOf(amount) > 0)

const sum = (parts: readonly (Capture | Refund)[], currency: string): string => {
  const total = (field: 'amount' | 'additional_amount') =>
    amountIn(
      currency,
      parts.reduce((all, part) => all + minorOf(part[field]), 0),
    )
  return both(total('amount'), total('additional_amount'))
}

/** How it ended, with all that was taken, dropped and given back, and what it cost. */
export const sayEnd = (outcome: PaymentOutcome): void => {
  const { status, status_code, captures, refunds, currency } = outcome
  const { released_amount, released_additional_amount } = outcome
  const { auth_amount, auth_additional_amount } = outcome
  const fees = minorOf(outcome.transaction_fee) + minorOf(outcome.interchange_fee)
  const facts = [
    captures.length > 0 && `captured ${sum(captures, currency)}`,
    isAny(released_amount, released_additional_amount) &&
      `released ${both(released_amount, released_additional_amount)}`,
    refunds.length > 0 && `refunded ${sum(refunds, currency)}`,
    isAny(auth_amount, auth_additional_amount) &&
      `still available ${both(auth_amount, auth_additional_amount)}`,
    fees > 0 && `fees ${amountIn(currency, fees)}`,
  ].filter(Boolean)
  const money = facts.length > 0 ? `${facts.join(', ')} ${currency}` : 'no money moved'
  say(`${indent}${'='.padEnd(widths.time)}${status} ${status_code}: ${money}`)
}
