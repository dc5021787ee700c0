// Long because it reads every way to tell a movement.
import { createHash } from 'node:crypto'
import type { StatementEntry } from '../../application/match-bank-entries.ts'
import type { ReturnReason } from '../../domain/accounting/payout-events.ts'
import { decimalsOf, isKnownCurrency } from '../../domain/money/currency.ts'
import { addUp, negated } from '../../domain/money/money.ts'
import { fail } from '../failures.ts'
import { isSameAccount, plainAccount } from './payout-account.ts'
import { dayAt, elementsAt, textAt, textIn, type Element } from './read-xml.ts'

/** Reports of a day under way, statements, or notifications of transactions. */
export type Statements = {
  readonly kind: keyof typeof kinds
  readonly entries: readonly StatementEntry[]
  /** Number of entries not booked yet, or in an unknown currency. */
  readonly passedOver: number
  /** Statements of other accounts. */
  readonly leftOut: readonly LeftOut[]
}

export type LeftOut = { readonly account: string; readonly entries: number }

type Money = { readonly amount: string; readonly currency: string }

/** Of an amount in ISO 20022. */
const mostDigits = 18

/** Exact minor units; excess decimals must be zeros. */
const moneyOf = (element: Element | undefined): Money | undefined => {
  const [text, currency] = [textIn(element), element?.['@Ccy']]
  if (text === null || typeof currency !== 'string' || !isKnownCurrency(currency)) return undefined
  const [isNumber, whole = '', fraction = ''] = /^\+?(\d*)(?:\.(\d*))?$/.exec(text) ?? []
  const decimals = decimalsOf(currency)
  if (!isNumber || whole + fraction === '' || /[1-9]/.test(fraction.slice(decimals)))
    return fail(`${text} is not an amount in ${currency}`)
  const minor = (whole + fraction.slice(0, decimals).padEnd(decimals, '0')).replace(/^0+(?=\d)/, '')
  // Banks book sums that are larger than one amount of ours may be.
  if (minor.length > mostDigits) return fail(`${text} of ${currency}: amount has too many digits`)
  return { amount: minor, currency }
}

const dayIn = (within: Element, ...path: readonly string[]): string | null =>
  dayAt(within, ...path, 'Dt') ?? dayAt(within, ...path, 'DtTm')

const longestId = 140

/** Banks write NOTPROVIDED or NONREF if there is no id. */
export const idOrNull = (id: string | null): string | null => {
  if (id !== null && id.length > longestId)
    return fail(`an id has more than ${longestId} characters`)
  return id === null || /^(NOTPROVIDED|NONREF)$/i.test(id) ? null : id
}

/** The id that payment files give each payout, as InstrId and EndToEndId. */
const ownId = /^[A-Z0-9]+-\d{4}-\d\d-\d\d-\d+-([A-Z]{3})(?:-\d+)?$/

/** The order that is named: by its end-to-end id, or else by its instruction id. */
export const orderNamedIn = (
  within: Element,
  path: readonly string[],
  { endToEnd, instruction }: { readonly endToEnd: string; readonly instruction: string },
): string | null => {
  const other = idOrNull(textAt(within, ...path, instruction))
  const isOurs = other !== null && ownId.test(other)
  return idOrNull(textAt(within, ...path, endToEnd)) ?? (isOurs ? other : null)
}

const accountOf = (statement: Element): string => {
  const account =
    textAt(statement, 'Acct', 'Id', 'IBAN') ??
    textAt(statement, 'Acct', 'Id', 'Othr', 'Id') ??
    fail('a statement does not say of which account it is')
  return idOrNull(account) ?? account
}

export const reasonOf = (within: Element, ...path: readonly string[]): ReturnReason => {
  const text = textAt(within, ...path, 'Rsn', 'Cd') ?? textAt(within, ...path, 'Rsn', 'Prtry')
  const code = text?.slice(0, 35) ?? null
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

type Part = { readonly detail: Element; readonly batch: Element }

/** The details of an entry, and what is said of the batch around each. */
const partsOf = (entry: Element): readonly Part[] =>
  elementsAt(entry, 'NtryDtls').flatMap((details) => {
    const [batch = {}] = elementsAt(details, 'Btch')
    const found = elementsAt(details, 'TxDtls')
    if (found.length === 0) return [{ detail: { Amt: batch['TtlAmt'] ?? [] }, batch }]
    return found.map((detail) => ({ detail, batch }))
  })

/** What was ordered: in its own currency, and without charges. */
const instructedIn = (within: Element): Money | undefined =>
  moneyOf(elementsAt(within, 'AmtDtls', 'InstdAmt', 'Amt')[0])

const amountOf = ({ detail }: Part): Money | undefined => {
  const paths = [['Amt'], ['AmtDtls', 'TxAmt', 'Amt']]
  const booked = moneyOf(paths.flatMap((path) => elementsAt(detail, ...path))[0])
  return booked ?? instructedIn(detail)
}

/** What is the same in all. */
const common = (ids: readonly (string | null)[]): string | null =>
  ids.every((id) => id === ids[0]) ? (ids[0] ?? null) : null

const namesOf = ({ detail, batch }: Part) => {
  const id = (name: string) =>
    idOrNull(textAt(detail, 'Refs', name)) ?? idOrNull(textAt(batch, name))
  const ids = { endToEnd: 'EndToEndId', instruction: 'InstrId' }
  return {
    endToEndId: orderNamedIn(detail, ['Refs'], ids),
    messageId: id('MsgId'),
    paymentId: id('PmtInfId'),
  }
}

/** Charges of the bank that an amount has in it; version 02 does not say whether it has. */
const chargesIn = (within: Element): Money[] =>
  [...elementsAt(within, 'Chrgs'), ...elementsAt(within, 'Chrgs', 'Rcrd')].flatMap((charge) => {
    const isBeside = textAt(charge, 'ChrgInclInd') === 'false'
    const money = moneyOf(elementsAt(charge, 'Amt')[0])
    return isBeside || !money || textAt(charge, 'CdtDbtInd') === 'CRDT' ? [] : [money]
  })

/**
 * The part of a booked amount that is the payment. Banks book charges with it, or a payment in
 * another currency in that of the account; what they were told to pay stands beside it.
 */
const paidOf = (booked: Money, within: readonly Element[], id: string | null): Money => {
  const [instructed] = within.flatMap((one) => instructedIn(one) ?? [])
  if (!instructed) return booked
  if (instructed.currency !== booked.currency)
    return id !== null && ownId.exec(id)?.[1] === instructed.currency ? instructed : booked
  const found = within.map(chargesIn).find((all) => all.length > 0) ?? []
  const charges = found.filter(({ currency }) => currency === booked.currency)
  return addUp(instructed.amount, ...charges.map((one) => one.amount)) === booked.amount
    ? instructed
    : booked
}

type Movement = Omit<StatementEntry, 'id'>

/** Charges that were taken off a credit before it was booked. */
const withheldIn = (
  side: Movement['side'],
  currency: string,
  ...within: readonly Element[]
): Pick<Movement, 'withheld'> => {
  const found = within.map(chargesIn).find((all) => all.length > 0) ?? []
  const sum = addUp(...found.flatMap((one) => (one.currency === currency ? one.amount : [])))
  return side === 'debit' || sum === '0' ? {} : { withheld: sum }
}

const isMoney = ({ amount }: Movement): boolean => amount !== '0'

const signed = ({ amount, side }: Pick<Movement, 'amount' | 'side'>) =>
  side === 'debit' ? negated(amount) : amount

/** What an entry has beyond its details, or they beyond it: nothing may leave unseen. */
const restOf = (whole: Movement, details: readonly Movement[]): readonly Movement[] => {
  if (details.some(({ currency }) => currency !== whole.currency)) return []
  const rest = addUp(signed(whole), ...details.map((one) => negated(signed(one))))
  if (rest === '0') return []
  const isDebit = rest.startsWith('-')
  const side = isDebit ? 'debit' : 'credit'
  const { withheld, ...of } = whole
  const amount = isDebit ? negated(rest) : rest
  return [{ ...of, amount, side, ...(withheld === amount && isDebit && { withheld }) }]
}

/** The movements of an entry: its details where each has an amount, or else the whole. */
const movementsOf = (entry: Element, { account, source, writtenOn }: Statement): Movement[] => {
  const whole = moneyOf(elementsAt(entry, 'Amt')[0])
  const side = sideOf(entry)
  const day =
    dayIn(entry, 'BookgDt') ?? dayIn(entry, 'ValDt') ?? writtenOn ?? fail('an entry has no day')
  const reference = idOrNull(textAt(entry, 'AcctSvcrRef'))
  const noNames = { endToEndId: null, messageId: null, reference }
  const noReason = { code: null, text: null }
  const parts = partsOf(entry)
  const ofPart = (part: Part, money: Money): Movement => {
    const { paymentId, ...names } = namesOf(part)
    const own = idOrNull(textAt(part.detail, 'Refs', 'AcctSvcrRef'))
    const partSide = sideOf(part.detail, side)
    const within = parts.length === 1 ? [part.detail, entry] : [part.detail]
    return {
      account,
      source,
      day,
      ...money,
      side: partSide,
      ...names,
      ...withheldIn(partSide, money.currency, ...within),
      reason: reasonOf(part.detail, 'RtrInf'),
      reference: own ?? reference,
      ...(paymentId !== null && { paymentId }),
      ...(own !== null && own !== reference && { entryReference: reference }),
    }
  }
  const entire: Movement | undefined = whole && {
    account,
    source,
    day,
    ...whole,
    side,
    ...noNames,
    reason: noReason,
    ...withheldIn(side, whole.currency, entry),
  }
  const isOne = parts.length === 1
  const amounts = parts.map((part) => {
    const booked = amountOf(part) ?? (isOne ? whole : undefined)
    const within = isOne ? [part.detail, entry] : [part.detail]
    return booked && paidOf(booked, within, namesOf(part).endToEndId)
  })
  const details = parts.flatMap((part, index) => {
    const money = amounts[index]
    return money ? [ofPart(part, money)] : []
  })
  if (parts.length > 0 && details.length === parts.length)
    return (entire ? [...details, ...restOf(entire, details)] : details).filter(isMoney)
  if (!entire || !isMoney(entire)) return []
  const names = parts.map(namesOf)
  const paymentId = common(names.map((one) => one.paymentId))
  const messageId = common(names.map((one) => one.messageId))
  return [{ ...entire, messageId, ...(paymentId !== null && { paymentId }) }]
}

/**
 * Identifies a movement across files: by the bank's reference, or else by the day. Movements that
 * look alike in one statement are counted; those without any name differ by its page, too.
 */
const withIds = (movements: readonly Movement[], page: number): StatementEntry[] => {
  const counts = new Map<string, number>()
  return movements.map((movement) => {
    const { account, side, amount, currency, day, endToEndId, messageId, paymentId } = movement
    const { reference, entryReference } = movement
    const names = [endToEndId, messageId, paymentId, reference, entryReference]
    const what = [account, side, amount, currency, ...names, reference === null ? day : null]
    const isNameless = names.every((name) => (name ?? null) === null)
    const text = JSON.stringify(isNameless && page > 1 ? [...what, page] : what)
    const count = (counts.get(text) ?? 0) + 1
    counts.set(text, count)
    const hash = createHash('sha256').update(`${text}${count}`).digest('hex')
    return { id: hash.slice(0, 32), ...movement }
  })
}

const kinds = {
  'camt.052': ['BkToCstmrAcctRpt', 'Rpt'],
  'camt.053': ['BkToCstmrStmt', 'Stmt'],
  'camt.054': ['BkToCstmrDbtCdtNtfctn', 'Ntfctn'],
} as const

export const statementRoots = Object.values(kinds).map(([root]) => root)

/** Of a statement that has several; version 02 numbers the pages of the message. */
const pageOf = (statement: Element, part: string, message: Element | undefined): number => {
  const number =
    textAt(statement, `${part}Pgntn`, 'PgNb') ?? textAt(message ?? {}, 'MsgPgntn', 'PgNb')
  return Number(number ?? 1)
}

/**
 * Parses camt.052, camt.053 and camt.054 of any version; undefined for another document. With an
 * account of payouts, statements of accounts that are neither it nor of funding are left out.
 */
export const readStatements = (
  document: Element,
  ownAccount: string | undefined,
  funding: readonly string[],
): Statements | undefined => {
  for (const kind of ['camt.052', 'camt.053', 'camt.054'] as const) {
    const [root, part] = kinds[kind]
    if (elementsAt(document, root).length === 0) continue
    const leftOut: LeftOut[] = []
    const movements: StatementEntry[] = []
    let passedOver = 0
    const [header] = elementsAt(document, root, 'GrpHdr')
    for (const statement of elementsAt(document, root, part)) {
      const account = accountOf(statement)
      const entries = elementsAt(statement, 'Ntry')
      const own = [ownAccount ?? [], ...funding].flat().find((one) => isSameAccount(one, account))
      if (ownAccount !== undefined && own === undefined) {
        leftOut.push({ account, entries: entries.length })
        continue
      }
      const writtenOn = dayAt(statement, 'CreDtTm')
      const id = idOrNull(textAt(statement, 'Id')) ?? fail('a statement has no id')
      const of = { account: own ?? plainAccount(account), source: { kind, id }, writtenOn }
      const read = entries.flatMap((entry) => {
        const found = isBooked(entry) ? movementsOf(entry, of) : []
        if (found.length === 0) passedOver += 1
        return found
      })
      movements.push(...withIds(read, pageOf(statement, part, header)))
    }
    return { kind, entries: movements, passedOver, leftOut }
  }
  return undefined
}
