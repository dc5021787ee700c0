import { createHash } from 'node:crypto'
import type { StatementEntry } from '../../application/match-bank-entries.ts'
import type { ReturnReason } from '../../domain/accounting/payout-events.ts'
import { decimalsOf, isKnownCurrency } from '../../domain/money/currency.ts'
import { parseAmount } from '../../domain/money/money.ts'
import { Refusal } from '../../domain/refusal.ts'
import { fail } from '../failures.ts'
import { dayAt, elementsAt, textAt, textIn, type Element } from './read-xml.ts'

/** The content of a bank file: statements or notifications of transactions. */
export type Statements = {
  readonly kind: 'camt.053' | 'camt.054'
  readonly accounts: readonly string[]
  readonly entries: readonly StatementEntry[]
  /** Number of entries not booked yet, or in an unknown currency. */
  readonly passedOver: number
}

type Money = { readonly amount: string; readonly currency: string }

/** Exact minor units; excess decimals must be zeros. */
const moneyOf = (element: Element | undefined): Money | undefined => {
  const [text, currency] = [textIn(element), element?.['@Ccy']]
  if (text === null || typeof currency !== 'string' || !isKnownCurrency(currency)) return undefined
  const [whole = '', fraction = ''] = text.replace(/^\+/, '').split('.')
  const decimals = decimalsOf(currency)
  if (!/^\d+$/.test(whole) || !/^\d*$/.test(fraction) || /[1-9]/.test(fraction.slice(decimals)))
    return fail(`${text} is not an amount in ${currency}`)
  const exact = fraction.slice(0, decimals)
  const plain = `${whole.replace(/^0+(?=\d)/, '')}${exact === '' ? '' : `.${exact}`}`
  try {
    return { amount: String(parseAmount(plain, currency)), currency }
  } catch (error) {
    if (error instanceof Refusal) return fail(`${text} of ${currency}: ${error.message}`)
    throw error
  }
}

const dayIn = (within: Element, ...path: readonly string[]): string | null =>
  dayAt(within, ...path, 'Dt') ?? dayAt(within, ...path, 'DtTm')

/** Banks write NOTPROVIDED if an id was not given. */
const given = (id: string | null): string | null => (id === 'NOTPROVIDED' ? null : id)

const accountOf = (statement: Element): string =>
  textAt(statement, 'Acct', 'Id', 'IBAN') ??
  textAt(statement, 'Acct', 'Id', 'Othr', 'Id') ??
  fail('a statement does not say of which account it is')

export const reasonOf = (within: Element, ...path: readonly string[]): ReturnReason => {
  const code = textAt(within, ...path, 'Rsn', 'Cd') ?? textAt(within, ...path, 'Rsn', 'Prtry')
  const texts = elementsAt(within, ...path, 'AddtlInf').flatMap((one) => textIn(one) ?? [])
  return { code, text: texts.join(' ').slice(0, 210) || null }
}

const isBooked = (entry: Element): boolean =>
  (textAt(entry, 'Sts', 'Cd') ?? textAt(entry, 'Sts')) === 'BOOK'

const sideOf = (element: Element, otherwise?: 'debit' | 'credit'): 'debit' | 'credit' => {
  const side = textAt(element, 'CdtDbtInd')
  if (side === null && otherwise) return otherwise
  if (side !== 'CRDT' && side !== 'DBIT') return fail('an entry is neither a credit nor a debit')
  return side === 'CRDT' ? 'credit' : 'debit'
}

type Statement = {
  readonly account: string
  readonly source: StatementEntry['source']
  readonly writtenOn: string | null
}

/** `<message id>-<number>`, from the payment file. */
const messageOf = (paymentId: string | null): string | null =>
  paymentId === null ? null : paymentId.replace(/-\d+$/, '')

/** Entries of one kind and their details, before they get ids. */
const movementsOf = (entry: Element, { account, source, writtenOn }: Statement) => {
  const whole = moneyOf(elementsAt(entry, 'Amt')[0])
  const side = sideOf(entry)
  const day =
    dayIn(entry, 'BookgDt') ?? dayIn(entry, 'ValDt') ?? writtenOn ?? fail('an entry has no day')
  const details = elementsAt(entry, 'NtryDtls', 'TxDtls')
  const batch = elementsAt(entry, 'NtryDtls', 'Btch')[0]
  const reference = textAt(entry, 'AcctSvcrRef') ?? textAt(entry, 'NtryRef')
  const of = (detail: Element, money: Money | undefined) => {
    if (!money) return []
    const paymentId = given(textAt(detail, 'Refs', 'PmtInfId'))
    const messageId = given(textAt(detail, 'Refs', 'MsgId')) ?? messageOf(paymentId)
    const about = { account, source, day, ...money, side: sideOf(detail, side) }
    const own = textAt(detail, 'Refs', 'AcctSvcrRef') ?? reference
    const endToEndId = given(textAt(detail, 'Refs', 'EndToEndId'))
    return [{ ...about, endToEndId, messageId, reference: own, reason: reasonOf(detail, 'RtrInf') }]
  }
  const amountOf = (detail: Element): Money | undefined =>
    moneyOf(elementsAt(detail, 'Amt')[0] ?? elementsAt(detail, 'AmtDtls', 'TxAmt', 'Amt')[0])
  const [only] = details
  if (only && details.length === 1) return of(only, amountOf(only) ?? whole)
  if (details.length > 1 && details.every((one) => amountOf(one)))
    return details.flatMap((one) => of(one, amountOf(one)))
  const refs = batch ?? {}
  return of({ Refs: [refs] }, whole)
}

type Movement = ReturnType<typeof movementsOf>[number]

/**
 * Identifies a transaction across files. The bank's own reference is used only if the payment has
 * no end-to-end id.
 */
const withIds = (movements: readonly Movement[]): StatementEntry[] => {
  const counts = new Map<string, number>()
  return movements.map((movement) => {
    const { account, side, amount, currency, day, endToEndId, messageId, reference } = movement
    const named = endToEndId ?? messageId
    const what = [account, side, amount, currency, day, named ?? '', named ? '' : reference]
    const text = JSON.stringify(what)
    const count = (counts.get(text) ?? 0) + 1
    counts.set(text, count)
    const hash = createHash('sha256').update(`${text}${count}`).digest('hex')
    return { id: hash.slice(0, 32), ...movement }
  })
}

const kinds = {
  'camt.053': ['BkToCstmrStmt', 'Stmt'],
  'camt.054': ['BkToCstmrDbtCdtNtfctn', 'Ntfctn'],
} as const

/** Parses camt.053 and camt.054 of any version; undefined for another document. */
export const readStatements = (document: Element): Statements | undefined => {
  for (const kind of ['camt.053', 'camt.054'] as const) {
    const [root, part] = kinds[kind]
    if (elementsAt(document, root).length === 0) continue
    const accounts = new Set<string>()
    const movements: StatementEntry[] = []
    let passedOver = 0
    for (const statement of elementsAt(document, root, part)) {
      const account = accountOf(statement)
      accounts.add(account)
      const writtenOn = dayAt(statement, 'CreDtTm')
      const id = textAt(statement, 'Id') ?? fail('a statement has no id')
      const of = { account, source: { kind, id }, writtenOn }
      const read = elementsAt(statement, 'Ntry').flatMap((entry) => {
        const found = isBooked(entry) ? movementsOf(entry, of) : []
        if (found.length === 0) passedOver += 1
        return found
      })
      movements.push(...withIds(read))
    }
    return { kind, accounts: [...accounts], entries: movements, passedOver }
  }
  return undefined
}
