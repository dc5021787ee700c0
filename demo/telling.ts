/** An outcome as the interface words it; amounts are exact decimal text. */
export type Outcome = {
  readonly tid: string
  readonly currency: string
  readonly amount: string
  readonly additional_amount: string
  readonly auth_amount: string
  readonly auth_additional_amount: string
  readonly released_amount: string
  readonly released_additional_amount: string
  readonly captures: readonly Part[]
  readonly refunds: readonly Part[]
  readonly status: string
  readonly status_code: number
  readonly date_expires: string
}

export type Part = {
  readonly id: string | null
  readonly amount: string
  readonly additional_amount: string
}

const widths = { time: 10, what: 56 }
const indent = ' '.repeat(6)

export const say = (text = ''): boolean => process.stdout.write(`${text}\n`)

export const sayChapter = (title: string): void =>
  void say(`\n\n${title}\n${'─'.repeat(title.length)}`)

export const sayTitle = (number: number, title: string): void =>
  void say(`\n${String(number).padStart(3)}   ${title}`)

/** One line: when, what, and what the till was told of it. */
export const sayStep = (time: string, what: string, told: readonly string[]): void => {
  const line = `${indent}${time.padEnd(widths.time)}${what}`
  if (told.length === 0) return void say(line)
  say(`${line.padEnd(indent.length + widths.time + widths.what)}  ${told.join(', ')}`)
}

/** Minor units of an exact decimal: all the decimals are always there. */
export const minorOf = (amount: string): number => Number(amount.replace('.', ''))

/** An amount as it is written with as many decimals as another one. */
export const amountLike = (minor: number, example: string): string => {
  const decimals = example.split('.')[1]?.length ?? 0
  const digits = String(minor).padStart(decimals + 1, '0')
  return decimals === 0 ? digits : `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`
}

const both = (amount: string, additional: string): string =>
  minorOf(additional) === 0 ? amount : `${amount} + ${additional}`

const sum = (parts: readonly Part[], { amount: example }: Outcome): string => {
  const total = (field: 'amount' | 'additional_amount') =>
    amountLike(
      parts.reduce((all, part) => all + minorOf(part[field]), 0),
      example,
    )
  return both(total('amount'), total('additional_amount'))
}

/** How it ended, with all that was taken, dropped and given back. */
export const sayEnd = (outcome: Outcome): void => {
  const { status, status_code, captures, refunds, currency } = outcome
  const released = both(outcome.released_amount, outcome.released_additional_amount)
  const available = both(outcome.auth_amount, outcome.auth_additional_amount)
  const facts = [
    captures.length > 0 && `captured ${sum(captures, outcome)}`,
    minorOf(outcome.released_amount) > 0 && `released ${released}`,
    refunds.length > 0 && `refunded ${sum(refunds, outcome)}`,
    minorOf(outcome.auth_amount) > 0 && `still available ${available}`,
  ].filter(Boolean)
  const money = facts.length > 0 ? `${facts.join(', ')} ${currency}` : 'no money moved'
  say(`${indent}${'='.padEnd(widths.time)}${status} ${status_code}: ${money}`)
}
