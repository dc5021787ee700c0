import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { bankAccount, sees, type Place } from './place.ts'

/** What a bank reads in a payment file with one payment. */
const paymentIn = (file: string) => {
  const text = readFileSync(file, 'utf8')
  const first = (name: string): string =>
    new RegExp(`<${name}(?: [^>]*)?>([^<]*)</${name}>`).exec(text)?.[1] ?? ''
  const day = /<ReqdExctnDt>\s*<Dt>([^<]*)</.exec(text)?.[1] ?? ''
  const [message, endToEnd] = [first('MsgId'), first('EndToEndId')]
  return { message, endToEnd, amount: first('InstdAmt'), day, count: first('NbOfTxs') }
}

/** The bank's statement of that day. */
const statementOf = ({ message, endToEnd, amount, day }: ReturnType<typeof paymentIn>): string =>
  `<?xml version="1.0" encoding="UTF-8"?>
<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08"><BkToCstmrStmt>
  <GrpHdr><MsgId>statement-1</MsgId><CreDtTm>${day}T22:00:00Z</CreDtTm></GrpHdr>
  <Stmt><Id>statement-1</Id><CreDtTm>${day}T22:00:00Z</CreDtTm>
    <Acct><Id><IBAN>${bankAccount}</IBAN></Id></Acct>
    <Ntry><Amt Ccy="NOK">${amount}</Amt><CdtDbtInd>DBIT</CdtDbtInd><Sts><Cd>BOOK</Cd></Sts>
      <BookgDt><Dt>${day}</Dt></BookgDt><AcctSvcrRef>bank-1</AcctSvcrRef>
      <NtryDtls><TxDtls><Refs><MsgId>${message}</MsgId><EndToEndId>${endToEnd}</EndToEndId>
      </Refs></TxDtls></NtryDtls></Ntry>
  </Stmt></BkToCstmrStmt></Document>`

/** The operator orders payouts; the open settlement page shows it. */
export const orderPayout = async (place: Place, page: Page): Promise<string> => {
  const file = join(place.folder, 'payouts.xml')
  await place.daybook('settle', '--pain001', file)
  expect(paymentIn(file)).toMatchObject({ amount: '100.00', count: '1' })
  await sees(page.locator('.lead'), 'Ordered')
  return file
}

/** The bank pays, and its statement is imported: the page shows the date. */
export const importStatement = async (place: Place, page: Page, order: string): Promise<void> => {
  const payment = paymentIn(order)
  const file = join(place.folder, 'statement.xml')
  writeFileSync(file, statementOf(payment))
  const imported = await place.daybook('bank', 'import', file)
  expect(imported).toMatchObject({ kind: 'camt.053', payouts_paid: 1, not_matched: 0 })
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone: 'UTC',
    day: 'numeric',
    month: 'short',
  })
  await page.locator('.lead .badge', { hasText: /^Paid$/ }).waitFor()
  await sees(
    page.locator('.lead'),
    new RegExp(`^${format.format(Date.parse(payment.day))}( \\d{4})?$`),
  )
  expect(await page.evaluate('window.isSamePage')).toBe(true)
}
