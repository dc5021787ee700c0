import { describe, expect, test } from 'vitest'
import { readBankFile } from '../../infrastructure/bank/bank-file.ts'

const account = 'NO9386011117947'

const entry = (amount: string, text = ''): string =>
  `<Ntry><Amt Ccy="NOK">${amount}</Amt><CdtDbtInd>DBIT</CdtDbtInd><Sts>BOOK</Sts>
  <BookgDt><Dt>2026-11-30</Dt></BookgDt><AddtlNtryInf>${text}</AddtlNtryInf></Ntry>`

const iban = (of: string): string => `<IBAN>${of}</IBAN>`
const other = (of: string): string => `<Othr><Id>${of}</Id></Othr>`

let statements = 0
const statement = (id: string, ...entries: readonly string[]): string =>
  `<Stmt><Id>s${(statements += 1)}</Id><Acct><Id>${id}</Id></Acct>${entries.join('')}</Stmt>`

const document = (...all: readonly string[]): string =>
  `<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08">
  <BkToCstmrStmt>${all.join('')}</BkToCstmrStmt></Document>`

const read = (content: string | Uint8Array, own: string | undefined = account) =>
  readBankFile(Buffer.from(content as string), 'file.xml', own)
const amountsIn = (...given: Parameters<typeof read>) =>
  read(...given).entries.map(({ amount }) => amount)

describe('statements of several accounts in one file', () => {
  test('are read where the account is ours, and the others are named with their entries', () => {
    const found = read(
      document(
        statement(iban('NO2830000099999'), entry('1.00'), entry('2.00')),
        statement(iban(account), entry('3.00')),
        statement(other('12345678903'), entry('4.00')),
      ),
    )
    expect(found.entries).toMatchObject([{ account, amount: '300' }])
    expect(found.leftOut).toEqual([
      { account: 'NO2830000099999', entries: 2 },
      { account: '12345678903', entries: 1 },
    ])
  })

  test('are all read where it is not set which account is ours', () => {
    const all = [statement(iban(account), entry('3.00')), statement(other('8'), entry('4.00'))]
    const found = readBankFile(Buffer.from(document(...all)), 'file.xml', undefined)
    expect(found.entries.map((one) => one.account)).toEqual([account, '8'])
    expect(found.leftOut).toEqual([])
  })

  test('are not read where none of them is ours', () => {
    const text = document(statement(other('86011117948'), entry('1.00')))
    expect(() => read(text)).toThrow(
      `file.xml is of account 86011117948, and BANK_ACCOUNT is ${account}`,
    )
  })
})

describe('fees that were taken off a credit', () => {
  const charges = (amount: string, inner = '') =>
    `<Chrgs><Rcrd><Amt Ccy="NOK">${amount}</Amt>${inner}</Rcrd></Chrgs>`
  const credit = (amount: string, around: string, ...details: readonly string[]) =>
    `<Ntry><Amt Ccy="NOK">${amount}</Amt><CdtDbtInd>CRDT</CdtDbtInd><Sts>BOOK</Sts>
    <BookgDt><Dt>2026-11-30</Dt></BookgDt>${around}<NtryDtls>${details.join('')}</NtryDtls></Ntry>`
  const detail = (id: string, amount: string, inner = '') =>
    `<TxDtls><Refs><EndToEndId>${id}</EndToEndId></Refs><Amt Ccy="NOK">${amount}</Amt>
    <CdtDbtInd>CRDT</CdtDbtInd>${inner}</TxDtls>`
  const found = (entry: string) =>
    readBankFile(
      Buffer.from(document(statement(iban('NO2830000099999'), entry))),
      'file.xml',
      account,
      ['NO2830000099999'],
    ).entries.map(({ side, amount, withheld }) => [side, amount, withheld])

  test('are told of an entry with one detail, of a detail, and not of those beside it', () => {
    const one = detail('a', '99.00')
    expect(found(credit('99.00', charges('1.00'), one))).toEqual([['credit', '9900', '100']])
    const beside = '<ChrgInclInd>false</ChrgInclInd>'
    expect(found(credit('99.00', charges('1.00', beside), one))).toEqual([
      ['credit', '9900', undefined],
    ])
    const two = [detail('a', '49.00', charges('1.00')), detail('b', '50.00')]
    expect(found(credit('99.00', '', ...two))).toEqual([
      ['credit', '4900', '100'],
      ['credit', '5000', undefined],
    ])
  })

  test('are a movement that explains itself, if the details are before them', () => {
    const two = [detail('a', '50.00'), detail('b', '50.00')]
    expect(found(credit('99.00', charges('1.00'), ...two))).toEqual([
      ['credit', '5000', undefined],
      ['credit', '5000', undefined],
      ['debit', '100', '100'],
    ])
  })
})

test.each([
  ['its IBAN with blanks', account, iban('NO93 8601 1117 947')],
  ['its IBAN in small letters', account, iban('no9386011117947')],
  ['its BBAN', account, other('86011117947')],
  ['its BBAN with points', account, other('8601.11.17947')],
  ['its BBAN with blanks that do not break', account, other('8601\u00a011\u00a017947')],
  ['its BBAN with a character that nobody sees', account, other('\u200b86011117947')],
  ['its IBAN as another id', account, other('NO9386011117947')],
  ['its IBAN where ours is the BBAN', '86011117947', iban(account)],
  ['the national number that it is', '1234-5678', other('1234 5678')],
])('an account is ours by %s', (_, own, told) => {
  expect(read(document(statement(told, entry('3.00'))), own)).toMatchObject({
    ...{ entries: [{ account: own, amount: '300' }], leftOut: [] },
  })
})

test.each([
  ['.50', '50'],
  ['+.5', '50'],
  ['5.', '500'],
  ['007', '700'],
  ['0.1', '10'],
  ['1.50000', '150'],
  [' 1.50 ', '150'],
])('the amount %s is %s øre', (text, minor) => {
  expect(amountsIn(document(statement(iban(account), entry(text))))).toEqual([minor])
})

test.each(['.', '1.505', '-1.00', '1,50', '1 000.00', '1.0.0', '1e3'])(
  '%s is no amount',
  (text) => {
    const file = document(statement(iban(account), entry(text)))
    expect(() => read(file)).toThrow(`${text} is not an amount in NOK`)
  },
)

describe('a file in the encoding', () => {
  const inEncoding = (declared: string, text: string): string =>
    `<?xml version="1.0" encoding="${declared}"?>
    ${document(statement(iban(account), entry('3.00', text)))}`

  test.each([
    ['US-ASCII', 'utf8', 'ok'],
    ['ascii', 'utf8', 'ok'],
    ['UTF8', 'utf8', 'æøå €'],
    ['utf-8', 'utf8', 'æøå €'],
    ['ISO-8859-1', 'latin1', 'æøå'],
    ['iso8859-15', 'latin1', 'æøå'],
    ['Windows-1252', 'latin1', 'æøå'],
  ] as const)('%s is read', (declared, bytes, text) => {
    expect(amountsIn(Buffer.from(inEncoding(declared, text), bytes))).toEqual(['300'])
  })

  test('UTF-8 may begin with a byte order mark', () => {
    expect(amountsIn(`\ufeff${inEncoding('UTF-8', 'æ')}`)).toEqual(['300'])
  })

  test.each([
    ['US-ASCII', 'utf8', 'is in US-ASCII, and is not'],
    ['UTF8', 'latin1', 'is in UTF8, and is not'],
    ['UTF-16', 'utf8', 'is in UTF-16; it has to be in UTF-8'],
    ['EBCDIC-NO', 'utf8', 'is in EBCDIC-NO; it has to be in UTF-8'],
  ] as const)('%s that it is not in is refused', (declared, bytes, why) => {
    const file = Buffer.from(inEncoding(declared, 'æøå'), bytes)
    expect(() => read(file)).toThrow(why)
  })
})

describe('a document in an envelope', () => {
  const inner = document(statement(iban(account), entry('3.00')))

  test.each([
    ['of the bank', `<Envelope><Header><Id>1</Id></Header><Body>${inner}</Body></Envelope>`],
    ['with prefixes', `<s:Env xmlns:s="urn:s"><s:Body>${inner}</s:Body></s:Env>`],
    ['of business messages', `<BizMsgEnvlp><AppHdr/>${inner}</BizMsgEnvlp>`],
    ['within another', `<A><B><C><D>${inner}</D></C></B></A>`],
  ])('%s is read', (_, text) => {
    expect(read(text)).toMatchObject({ kind: 'camt.053', entries: [{ amount: '300' }] })
  })

  test('is read beside others', () => {
    const second = inner
      .replaceAll('BkToCstmrStmt', 'BkToCstmrDbtCdtNtfctn')
      .replaceAll(/(<\/?)Stmt>/g, '$1Ntfctn>')
      .replace('>3.00<', '>4.00<')
    const found = read(`<Envelope>${inner}${second}</Envelope>`)
    expect(found.kind).toBe('camt.053, camt.054')
    expect(found.entries.map(({ amount }) => amount)).toEqual(['300', '400'])
  })
})

describe('two entries that look alike, without any name', () => {
  const page = (number: number, id: string): string =>
    `<Stmt><Id>${id}</Id><StmtPgntn><PgNb>${number}</PgNb><LastPgInd>false</LastPgInd></StmtPgntn>
    <Acct><Id>${iban(account)}</Id></Acct>${entry('3.00')}</Stmt>`
  const idsIn = (...files: readonly string[]) =>
    new Set(files.flatMap((file) => read(file).entries.map(({ id }) => id))).size

  test.each([
    ['on two pages are two', [page(1, 's'), page(2, 's')], 2],
    ['on one page that is told twice are one', [page(2, 's'), page(2, 's')], 1],
  ])('%s', (_, pages, count) => {
    expect(idsIn(...pages.map((one) => document(one)))).toBe(count)
  })
})

test('what is wrong with a large file is told short and on one line', () => {
  const long = `${'9'.repeat(1_000_000)}\n9`
  const file = document(statement(iban(account), entry(long)))
  let told = ''
  try {
    read(file)
  } catch (error) {
    told = (error as Error).message
  }
  expect(told).toMatch(/^9{100}.* …$/)
  expect(told.length).toBeLessThan(400)
})
