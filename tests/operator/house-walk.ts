import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { codeAt } from '../../infrastructure/people/one-time-codes.ts'
import type { PeopleService } from '../support/people-service.ts'
import { newcomerAt } from '../people/newcomer.ts'
import { walkSettings, type Walk } from '../people/walk.ts'
import { lent, signInTo, signUpShop } from '../portal/portal-walk.ts'
import { soldAndRefunded } from '../portal/sold.ts'

type HouseWalk = Pick<Walk, 'service' | 'open' | 'seen'>

type Ordered = { readonly amount: string; readonly end_to_end_id: string }

const entryOf = ({ amount, end_to_end_id }: Ordered): string =>
  `<Ntry><Amt Ccy="NOK">${amount}</Amt><CdtDbtInd>DBIT</CdtDbtInd><Sts><Cd>BOOK</Cd></Sts>
    <BookgDt><Dt>2026-11-30</Dt></BookgDt><AcctSvcrRef>${randomUUID()}</AcctSvcrRef>
    <NtryDtls><TxDtls><Refs><EndToEndId>${end_to_end_id}</EndToEndId></Refs></TxDtls></NtryDtls>
  </Ntry>`

/** A bank statement with the ordered payments, and a fee. */
const statementOf = (ordered: readonly Ordered[]): string =>
  `<?xml version="1.0" encoding="UTF-8"?>
<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08"><BkToCstmrStmt>
  <GrpHdr><MsgId>s1</MsgId><CreDtTm>2026-12-01T06:00:00+01:00</CreDtTm></GrpHdr>
  <Stmt><Id>s1</Id><CreDtTm>2026-12-01T06:00:00+01:00</CreDtTm>
    <Acct><Id><IBAN>${walkSettings.BANK_ACCOUNT}</IBAN></Id></Acct>
    ${[...ordered, { amount: '12.00', end_to_end_id: 'FEE-NOK' }].map(entryOf).join('')}</Stmt>
</BkToCstmrStmt></Document>`

const orderDue = async (service: PeopleService): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), 'daybook-walk-'))
  await service.operator('settle', '--pain001', join(folder, 'payouts.xml'))
  rmSync(folder, { recursive: true })
}

const into = async (page: Page, link: string): Promise<unknown> => {
  const href = await page.locator(link).first().getAttribute('href')
  return page.goto(new URL(href ?? '', page.url()).href)
}

/** A payout from due to the bank's statement. */
const walkPayouts = async ({ service, seen }: HouseWalk, page: Page): Promise<void> => {
  const at = async (path: string) => page.goto(`${service.address}/operator/payouts${path}`)
  await soldAndRefunded(service, randomUUID())
  await at('')
  await seen('operator-payouts', page)
  await orderDue(service)
  await at('?status=ordered')
  await seen('operator-payouts-ordered', page)
  await into(page, 'a[href*="/payouts/messages/"]')
  await seen('operator-message', page)
  const ordered = await service.operator('payouts', '--status', 'ordered')
  const buffer = Buffer.from(statementOf(ordered as unknown as readonly Ordered[]))
  await at('/bank')
  await page.locator('[name=file]').setInputFiles({
    ...{ name: 'statement.xml', mimeType: 'text/xml', buffer },
  })
  await page.locator('main form .actions button').click()
  await page.locator('main td').first().waitFor()
  await seen('operator-bank-imported', page)
  await at('/bank')
  await seen('operator-bank', page)
  await into(page, 'main a[href*="/payouts/bank/"]')
  await seen('operator-bank-entry', page)
}

const watched = [
  ['corrections', 'corrections'],
  ['invoices', 'invoices'],
  ['journal', 'journal'],
  ['journal-entries', 'journal/entries'],
  ['health', 'health'],
  ['security', 'security'],
  ['keys', 'keys'],
  ['rotate', 'keys/callbacks'],
] as const

/** An added person without an account accepts first. */
const walkJoin = async ({ service, seen }: HouseWalk, page: Page): Promise<void> => {
  const phone = `+474${String(Date.now()).slice(-7)}`
  await service.operator('operator', 'add', phone, '--role', 'support')
  const { secret, pin } = await newcomerAt(service, phone)
  const code = () => codeAt(secret, Date.now() + 30_000)
  await lent(page, async () => {
    await signInTo(page, service.address, '/operator/', { phone, pin, code })
    await seen('operator-join', page)
  })
}

/** Payouts, corrections, the journal, the pages for watching, and the sign-in pages. */
export const walkHouse = async (walk: HouseWalk): Promise<void> => {
  const { service, open, seen } = walk
  const page = await open()
  const at = async (path: string) => page.goto(`${service.address}/operator/${path}`)
  await signInTo(page, service.address, '/operator/')
  await walkPayouts(walk, page)
  const proposal = ['--amount=-12.50', '--reason', 'charged twice']
  await service.operator('correction', 'propose', 'sandbox', ...proposal)
  for (const [name, path] of watched) {
    await at(path)
    await seen(`operator-${name}`, page)
  }
  await at('funding')
  await seen('operator-funding', page)
  await into(page, 'main a[href*="/operator/funding/"]')
  await seen('operator-funding-day', page)
  await at('journal/entries')
  await into(page, 'a[href*="/operator/story"]')
  await seen('operator-story', page)
  await into(page, 'a[href*="/operator/events/"]')
  await seen('operator-event', page)
  await page.goto(`${service.address}/portal/sign-up`)
  const merchant = await signUpShop(page, 'Blomster og gaver')
  await service.operator('merchant', 'disable', merchant)
  await at('')
  await seen('operator-overview-waits', page)
  await at(`merchants/${merchant}/approve`)
  await seen('operator-approve', page)
  await walkJoin(walk, page)
}
