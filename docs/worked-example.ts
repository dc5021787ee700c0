// Prints the figures of worked-example.md from a run of the service (`npm run docs:example`).
import { readFileSync, writeFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import type { Settlement, Transaction } from '../client/index.ts'
import { formatted, row, withTable } from './tables.ts'
import { playDays, type Played } from './worked-days.ts'

const file = new URL('worked-example.md', import.meta.url)

export const examplePage = readFileSync(file, 'utf8')

type Sum = bigint

const minor = (text = '0.00'): Sum => BigInt(text.replace('.', ''))

const shown = (sum: Sum): string => {
  const digits = String(sum < 0n ? -sum : sum).padStart(3, '0')
  return `${sum < 0n ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`
}

const add = (sums: readonly Sum[]): Sum => sums.reduce((all, one) => all + one, 0n)

const table = (heads: readonly string[], rows: readonly (readonly string[])[]): string[] => [
  ...[row(...heads), row(...heads.map(() => '---'))],
  ...rows.map((cells) => row(...cells)),
]

const block = (language: string, text: string): string[] => [`\`\`\`${language}`, text, '```']

type Money = 'gross' | 'fee' | 'interchange' | 'vat' | 'net'

const sumOf = (lines: readonly Transaction[], name: Money): Sum =>
  add(lines.map((line) => minor(line[name])))

const kinds = (lines: readonly Transaction[], ...wanted: readonly string[]): Transaction[] =>
  lines.filter(({ kind }) => wanted.includes(kind))

const linesTable = ({ lines }: Played): string[] =>
  table(
    ['day', 'line', 'gross', 'fee', 'interchange', 'net', 'balance after', 'settlement'],
    lines.map((line) => [
      ...[line.date.slice(0, 10), [line.pos_tid, line.kind].filter(Boolean).join(' ')],
      ...[line.gross, line.fee, line.interchange, line.net, line.balance_after],
      line.settlement_id?.split('-').at(-1) ?? '',
    ]),
  )

type Detail = Settlement['payout_details'][number]

const detailOf = ({ payout_details: [detail] }: Settlement): Detail => {
  if (!detail) throw new Error('a settlement has no payout')
  return detail
}

const owed = (detail: Detail, at: 'before' | 'after'): Sum =>
  minor(detail[`unsettled_fees_${at}`]) + minor(detail[`unsettled_refunds_${at}`])

const settlementTable = ({ settlements }: Played): string[] =>
  table(
    ['settlement', 'gross', 'net', 'owed before', 'invoiced', 'payout', 'owed after', 'paid on'],
    settlements.map((settlement) => {
      const detail = detailOf(settlement)
      const sums = [detail.billed, detail.payout, shown(owed(detail, 'after'))]
      const before = shown(owed(detail, 'before'))
      const paid = detail.paid_on ?? ''
      return [settlement.id, detail.gross, detail.net, before, ...sums, paid]
    }),
  )

/** The postings of the merchant's own books, made of nothing but what the interface tells. */
const ownBooks = ({ lines, settlements, invoice }: Played) => {
  const entries: string[] = []
  const balances = new Map<string, Sum>()
  const post = (day: string, what: string, of: Readonly<Record<string, Sum>>) => {
    const postings = Object.entries(of).filter(([, sum]) => sum !== 0n)
    for (const [account, sum] of postings)
      balances.set(account, (balances.get(account) ?? 0n) + sum)
    const shownAll = postings.map(
      ([account, sum]) => `    ${account.padEnd(24)}${shown(sum).padStart(10)} NOK`,
    )
    entries.push([`${day} ${what}`, ...shownAll].join('\n'))
  }
  const against = { dispute: 'expenses:disputes', correction: 'expenses:corrections' } as const
  for (const line of lines)
    post(line.date.slice(0, 10), [line.pos_tid, line.kind].filter(Boolean).join(' '), {
      'assets:daybook': minor(line.net),
      'expenses:fees': minor(line.fee) + minor(line.vat),
      'expenses:interchange': minor(line.interchange),
      [against[line.kind as keyof typeof against] ?? 'income:sales']: -minor(line.gross),
    })
  for (const settlement of settlements) {
    const { payout, paid_on: day } = detailOf(settlement)
    if (day !== undefined)
      post(day, `payout ${settlement.settlement_id}`, {
        'assets:bank': minor(payout),
        'assets:daybook': -minor(payout),
      })
  }
  const paid = minor(invoice.amount)
  const what = `invoice ${invoice.id}`
  post('2030-06-07', what, { 'assets:daybook': paid, 'assets:bank': -paid })
  const text = entries.sort((one, other) => (one.slice(0, 10) < other.slice(0, 10) ? -1 : 1))
  return { text: text.join('\n\n'), of: (account: string): Sum => balances.get(account) ?? 0n }
}

/** The closing balances of daybook's journal, by account. */
const trialOf = ({ trial }: Played) => {
  const [, ...rows] = trial.trimEnd().split('\n')
  const found = rows.map((one) => one.split(','))
  return (account: string): Sum =>
    add(found.flatMap(([name, , , , , , closing]) => (name === account ? minor(closing) : [])))
}

const trialTable = ({ trial }: Played): string[] => {
  const [heads = '', ...rows] = trial.trimEnd().split('\n')
  return table(
    heads.split(','),
    rows.map((one) => one.split(',')),
  )
}

/** The closing balance of the accounts with a number, in the SAF-T file. */
const saftBalance = ({ saft }: Played, number: string): Sum =>
  add(
    [...saft.matchAll(/<Account>(.*?)<\/Account>/gs)].flatMap(([, account = '']) => {
      const [, id = ''] = /<AccountID>([^<]*)</.exec(account) ?? []
      const [, side, sum] = /<Closing(Debit|Credit)Balance>([^<]*)</.exec(account) ?? []
      if (id.split(':')[0] !== number) return []
      return side === 'Debit' ? minor(sum) : -minor(sum)
    }),
  )

/** The postings of the journal, without what is the same in each. */
const postingsTable = ({ postings }: Played): string[] => {
  const [, ...rows] = postings.trimEnd().split('\n')
  return table(
    ['day', 'what', 'account', 'debit', 'credit'],
    rows.map((one) => {
      const [, day = '', , , action = '', , , , order = '', , , account = '', , , ...sums] =
        one.split(',')
      return [day, `${action} ${order}`.trim(), account, ...sums]
    }),
  )
}

const amountsIn = (file: string, name: string): Sum[] =>
  [...file.matchAll(new RegExp(`<${name} Ccy="NOK">([^<]*)<`, 'g'))].map(([, sum]) => minor(sum))

/** What the statements say left the account for a settlement, less what came back. */
const bookedFor = ({ statements }: Played, settlement: string): Sum =>
  add(
    statements
      .flatMap((text) => [...text.matchAll(/<Ntry>.*?<\/Ntry>/gs)].map(([entry]) => entry))
      .filter((entry) => entry.includes(`${settlement}-NOK`))
      .map((entry) => {
        const [sum = 0n] = amountsIn(entry, 'Amt')
        return entry.includes('DBIT') ? sum : -sum
      }),
  )

/** What came in from the funding source, less what it took. */
const receivedIn = ({ paidIn }: Played): Sum =>
  add(
    [...paidIn.matchAll(/<Ntry>\s*<Amt Ccy="NOK">([^<]*)<.*?<CdtDbtInd>(\w+)</gs)].map(
      ([, sum, side]) => (side === 'CRDT' ? minor(sum) : -minor(sum)),
    ),
  )

/** What the journal posts to an account for a settlement. */
const postedFor = ({ postings }: Played, account: string, settlement: string): Sum =>
  add(
    postings
      .split('\n')
      .map((one) => one.split(','))
      .filter((cells) => cells[11] === account && cells[9] === settlement)
      .map((cells) => minor(cells[14] || '0.00') - minor(cells[15] || '0.00')),
  )

/** Each sum, with all that say it. @throws where they differ */
const tiesTable = (played: Played): string[] => {
  const { lines, settlements, orders, invoice } = played
  const [own, trial] = [ownBooks(played), trialOf(played)]
  const rows: string[][] = []
  const tie = (what: string, said: Readonly<Record<string, Sum>>) => {
    const sums = Object.values(said)
    if (sums.some((sum) => sum !== sums[0]))
      throw new Error(`${what}: ${JSON.stringify(said, (_, one) => String(one))}`)
    rows.push([what, shown(sums[0] ?? 0n), Object.keys(said).join(', ')])
  }
  const [first, second, third] = settlements as [Settlement, Settlement, Settlement]
  const files = { [first.id]: orders.at(1) ?? '', [third.id]: orders.at(2) ?? '' }
  for (const settlement of [first, third]) {
    const detail = detailOf(settlement)
    const id = settlement.settlement_id
    const taken = lines.filter((line) => line.settlement_id === id)
    const debt = owed(detail, 'before') + minor(detail.billed) - owed(detail, 'after')
    tie(`payout of settlement ${settlement.id}`, {
      'its lines': sumOf(taken, 'net') + debt,
      'the settlement': minor(detail.payout),
      'pain.001': add(amountsIn(files[settlement.id] ?? '', 'InstdAmt')),
      'camt.053': bookedFor(played, id),
      'the journal': -postedFor(played, 'bank', id),
    })
  }
  tie('owed after settlement 2, and invoiced', {
    'settlement 2': -owed(detailOf(second), 'after'),
    'the invoice': minor(invoice.amount),
    'settlement 3': minor(detailOf(third).billed),
  })
  const received = receivedIn(played)
  tie('turnover less refunds and disputes', {
    'the lines': sumOf(kinds(lines, 'capture', 'refund', 'dispute'), 'gross'),
    'camt.053 of money in, and its fees': received + trial('funding_fees'),
    'the shop': -own.of('income:sales') - own.of('expenses:disputes'),
  })
  tie('withheld by the funding source', {
    'the lines, less camt.053':
      sumOf(kinds(lines, 'capture', 'refund', 'dispute'), 'gross') - received,
    'the journal': trial('funding_fees'),
    'SAF-T': saftBalance(played, '7770'),
  })
  tie('still owed by the funding source', {
    'the journal': trial('payer_clearing') + trial('unexplained'),
    'SAF-T': saftBalance(played, '1570') + saftBalance(played, '2995'),
  })
  tie('fees', {
    'the lines': sumOf(lines, 'fee'),
    'the journal': -trial('fee_income'),
    'SAF-T': -saftBalance(played, '3000'),
    'the shop': own.of('expenses:fees'),
  })
  tie('interchange', {
    'the lines': sumOf(lines, 'interchange'),
    'the journal': -trial('interchange'),
    'SAF-T': -saftBalance(played, '2993'),
    'the shop': own.of('expenses:interchange'),
  })
  tie('corrections', {
    'the lines': -sumOf(kinds(lines, 'correction'), 'gross'),
    'the journal': -trial('corrections'),
    'SAF-T': -saftBalance(played, '7700'),
    'the shop': own.of('expenses:corrections'),
  })
  tie('from bank to bank', {
    'the journal, less money in': received - trial('bank'),
    'SAF-T, less money in': received - saftBalance(played, '1920'),
    'the shop': own.of('assets:bank'),
  })
  tie('still owed to the shop', {
    'the journal': -trial('merchant_payable') - trial('payouts_payable') - trial('invoices'),
    'SAF-T': -saftBalance(played, '2991') - saftBalance(played, '2992'),
    'the shop': own.of('assets:daybook'),
  })
  return table(['sum', 'NOK', 'the same in'], rows)
}

const excerpt = (text: string, pattern: RegExp): string => {
  const [found] = pattern.exec(text) ?? []
  if (found === undefined) throw new Error(`nothing is ${pattern}`)
  const lines = found.replace(/^\n/, '').trimEnd().split('\n')
  const indent = Math.min(...lines.map((line) => line.search(/\S/)).filter((at) => at >= 0))
  return lines.map((line) => line.slice(indent)).join('\n')
}

/** By the marks of the page. */
const sectionsOf = (played: Played): Readonly<Record<string, readonly string[]>> => {
  const { days, orders, statements, paidIn, program } = played
  const { afterFirst, afterLast, saft, journal } = played
  const diary = [...days].map(([day, said]) => [day, block('text', said.join('\n'))] as const)
  const entry = excerpt(journal, /\n2030-06-04 \* .*?\n(?=\n)/s)
  return {
    ...Object.fromEntries(diary),
    lines: linesTable(played),
    settlements: settlementTable(played),
    program: block('js', program),
    reconciled: block('text', `${afterFirst}\n\n${afterLast}`),
    pain001: block('xml', excerpt(orders[0] ?? '', /[^\n]*<CdtTrfTxInf>.*<\/CdtTrfTxInf>/s)),
    incoming: block('xml', excerpt(paidIn, /<Ntry>.*?<\/Ntry>/s)),
    camt053: block('xml', excerpt(statements[0] ?? '', /<Ntry>.*<\/Ntry>/s)),
    trial: trialTable(played),
    postings: postingsTable(played),
    journal: block('text', entry),
    saft: block('xml', excerpt(saft, /[^\n]*<Account>\s*<AccountID>3000.*?<\/Account>/s)),
    totals: block('xml', excerpt(saft, /[^\n]*<NumberOfEntries>.*?<\/TotalCredit>/s)),
    books: block('text', ownBooks(played).text),
    ties: tiesTable(played),
  }
}

/** Ids that are others in each run. */
const settled = (text: string, { names, settlements }: Played): string =>
  [...names, [settlements[0]?.settlement_id.split('-')[0] ?? '', 'SHOPID'] as const]
    .sort(([one], [other]) => other.length - one.length)
    .reduce((all, [id, name]) => all.replaceAll(id, name), text)
    .replaceAll(/\b[0-9a-f]{32}\b/g, '…')
    .replaceAll(/(?<=^\d{4}-\d\d-\d\d \* )\(\d+\)/gm, '(…)')

/** The page with the figures of a run. */
export const printedExample = async (): Promise<{ page: string; played: Played }> => {
  const played = await playDays()
  const page = Object.entries(sectionsOf(played)).reduce(
    (text, [name, lines]) => withTable(text, name, settled(lines.join('\n'), played).split('\n')),
    examplePage,
  )
  return { page: await formatted(page), played }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href)
  writeFileSync(file, (await printedExample()).page)
