import {
  accounts,
  postingsOfLine,
  isPosting,
  postingsOfEvent,
  type Account,
  type Posting,
} from '../../domain/accounting/journal.ts'
import type { MoneyLine } from '../../domain/accounting/money-line.ts'
import { settlements } from '../../domain/aggregates.ts'
import type { Recorded } from '../../domain/events.ts'
import { addUp, formatAmount, type Sum } from '../../domain/money/money.ts'
import { streamOf } from '../../domain/stream.ts'
import { historyOf } from '../../application/find-state.ts'
import {
  entryOf,
  eventAt,
  mostEntries,
  type Entry,
  type Part,
  type Story,
  type SumOfParts,
} from './story.ts'
import { eventInWords } from './event-words.ts'
import { partsOfLines } from './line-sums.ts'
import type { ExplainNeeds } from './needs.ts'

export type AccountName = {
  readonly account: Account
  /** Null for accounts that are not per merchant. */
  readonly merchant: string | null
}

export const isAccount = (name: string): name is Account =>
  (accounts as readonly string[]).includes(name)

const amountIn = (
  postings: readonly Posting[],
  { account, merchant }: AccountName,
  currency: string,
) =>
  addUp(
    ...postings
      .filter((one) => one.account === account && one.currency === currency)
      .filter((one) => merchant === null || one.merchant === merchant)
      .map(({ amount }) => amount),
  )

const postingsOf = (line: MoneyLine): readonly Posting[] => {
  const { fee, interchange, vat, ...about } = line
  return postingsOfLine({ ...about, charge: { fee, interchange, vat, taxcode: '' } })
}

const postingsBy = (event: Recorded): readonly Posting[] =>
  isPosting(event) ? postingsOfEvent(event.metadata.merchant ?? '', event) : []

/** Events beside lines that post to the account, one stream at a time. */
async function* postingEvents(
  { store, rows }: ExplainNeeds,
  { merchant }: AccountName,
): AsyncGenerator<Recorded> {
  const of = merchant === null ? rows.settledMerchants() : [merchant]
  const settled = of.map((one) => streamOf(settlements, one))
  for (const stream of merchant === null ? [...settled, ...rows.fundingStreams()] : settled)
    for await (const events of historyOf(store, stream))
      yield* events.filter((event) => postingsBy(event).length > 0)
}

const wholeLog = (merchant: string | null) => ({
  merchant,
  ledger: null,
  after: 0,
  before: Number.MAX_SAFE_INTEGER,
})

/** The events that add up to the balance of a journal account. */
export const sumUpAccount = async (
  needs: ExplainNeeds,
  name: AccountName,
  currency: string,
): Promise<SumOfParts | undefined> => {
  const { account, merchant } = name
  const { rows, texts } = needs
  const recorded = rows
    .balances(account, merchant)
    .find((one) => one.currency === currency)?.balance
  if (recorded === undefined) return undefined
  const numberOf = (line: MoneyLine): Sum => amountIn(postingsOf(line), name, currency)
  const { total, parts, ...others } = await partsOfLines(
    needs,
    wholeLog(merchant),
    currency,
    numberOf,
  )
  const more: Part[] = []
  let sum = total
  for await (const event of postingEvents(needs, name)) {
    const amount = amountIn(postingsBy(event), name, currency)
    if (amount === '0') continue
    sum = addUp(sum, amount)
    const { position, stream, metadata } = event
    more.push({
      position,
      stream,
      at: metadata.at,
      says: eventInWords(event, currency, texts),
      minor: amount,
      amount: formatAmount(amount, currency),
    })
  }
  const inOrder = [...parts, ...more].sort((one, other) => one.position - other.position)
  return {
    name: 'balance',
    currency,
    value: formatAmount(sum, currency),
    parts: inOrder,
    ...others,
    agrees: sum === recorded,
    says: texts.journalHas({ amount: texts.as.amount(recorded, currency) }),
  }
}

/** The events that change the balance, one currency at a time. */
const entriesIn = async (
  needs: ExplainNeeds,
  name: AccountName,
  currency: string,
): Promise<{ readonly entries: readonly Entry[]; readonly more: number }> => {
  const summed = await sumUpAccount(needs, name, currency)
  const { parts = [], others } = summed ?? {}
  const entries: Entry[] = []
  let balance: Sum = '0'
  for (const part of parts.slice(0, mostEntries)) {
    const event = await eventAt(needs, part)
    const from = balance
    balance = addUp(balance, part.minor)
    const change = { from: formatAmount(from, currency), to: formatAmount(balance, currency) }
    const numbers = [{ name: 'balance', ...change }]
    if (event) entries.push(await entryOf(needs, event, { currency, numbers, told: [] }))
  }
  return { entries, more: parts.length - entries.length + (others?.count ?? 0) }
}

export const explainAccount = async (
  needs: ExplainNeeds,
  name: AccountName,
): Promise<Story | undefined> => {
  const { account, merchant } = name
  const { rows, texts } = needs
  const balances = rows.balances(account, merchant)
  const found = []
  for (const { currency } of balances) found.push(await entriesIn(needs, name, currency))
  return {
    title: merchant === null ? texts.account({ account }) : texts.accountOf({ account, merchant }),
    says: [balances.length === 0 ? texts.notPosted : texts.accountSigns],
    entries: found.flatMap(({ entries }) => entries),
    more: found.reduce((all, { more }) => all + more, 0),
    numbers: balances.map(({ currency, balance }) => ({
      name: 'balance',
      currency,
      value: formatAmount(balance, currency),
    })),
  }
}
