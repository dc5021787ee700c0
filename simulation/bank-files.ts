import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Play } from './known.ts'
import { pick, type Random } from './random.ts'
import { bankAccount, fundingAccount } from './furnish.ts'

/** What the bank says: of payouts, or of payers' money that came in. */
export type BankWay = 'paid' | 'returned' | 'wrong' | 'funding'

type Entry = { readonly amount: string; readonly name: string; readonly currency: string }

const tag = (name: string, content: string): string => `<${name}>${content}</${name}>`

const entryOf = (
  { amount, name, currency }: Entry,
  { day, side, reference, reason = '' }: Readonly<Record<string, string>>,
): string =>
  tag(
    'Ntry',
    `<Amt Ccy="${currency}">${amount}</Amt>` +
      tag('CdtDbtInd', side ?? '') +
      tag('Sts', tag('Cd', 'BOOK')) +
      tag('BookgDt', tag('Dt', day ?? '')) +
      tag('AcctSvcrRef', reference ?? '') +
      tag('NtryDtls', tag('TxDtls', tag('Refs', tag('EndToEndId', name)) + reason)),
  )

/** A camt.053 of an account. */
const statementOf = (id: string, account: string, entries: string): string =>
  `<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08"><BkToCstmrStmt>` +
  tag('Stmt', tag('Id', id) + tag('Acct', tag('Id', tag('IBAN', account))) + entries) +
  '</BkToCstmrStmt></Document>'

const listed = async ({ world }: Play, words: readonly string[]) =>
  ((await world.command('ann', words)).printed ?? []) as readonly any[]

const returnReason = tag('RtrInf', tag('Rsn', tag('Cd', 'AC04')))

/** Payouts that were ordered, or paid, as the bank books them; a few more that nobody knows. */
const ofPayouts = async (play: Play, way: BankWay): Promise<readonly Entry[]> => {
  const status = way === 'returned' ? 'paid' : 'ordered'
  const rows = await listed(play, ['payouts', '--status', status])
  return rows.map((row) => ({
    amount: way === 'wrong' ? '0.07' : String(row.amount),
    name: String(row.end_to_end_id),
    currency: String(row.currency),
  }))
}

const ofFunding = async (play: Play, random: Random): Promise<readonly Entry[]> => {
  const days = await listed(play, ['funding', 'days'])
  return days
    .filter(({ expected, currency }) => currency === 'NOK' && Number(expected) > 0)
    .map(({ day, expected, currency }) => ({
      amount: pick(random, [String(expected), '1.00']),
      name: pick(random, [`DAY-${day}`, 'nobody']),
      currency: String(currency),
    }))
}

/** Writes a file as the bank sends it; undefined if it has nothing to say. */
export const bankFile = async (
  play: Play,
  way: BankWay,
  n: number,
  random: Random,
): Promise<string | undefined> => {
  const isFunding = way === 'funding'
  const entries = isFunding ? await ofFunding(play, random) : await ofPayouts(play, way)
  if (entries.length === 0) return undefined
  const day = new Date(play.world.now()).toISOString().slice(0, 10)
  const side = isFunding || way === 'returned' ? 'CRDT' : 'DBIT'
  const reason = way === 'returned' ? returnReason : ''
  const xml = entries.map((one, at) =>
    entryOf(one, { day, side, reason, reference: `ref-${n}-${at}` }),
  )
  const account = isFunding ? fundingAccount : bankAccount
  writeFileSync(
    join(play.world.folder, `bank-${n}.xml`),
    statementOf(`s${n}`, account, xml.join('')),
  )
  return `{folder}/bank-${n}.xml`
}
