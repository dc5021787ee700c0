import { readSheet } from 'read-excel-file/node'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Shown } from '../people/visitor.ts'
import { shopOfAlice } from './shop-of-alice.ts'
import { soldAndRefunded } from './sold.ts'
import { textsIn } from '../../texts/catalogue.ts'

const { service, alice } = await shopOfAlice()
const money = '/portal/sandbox/money'
await soldAndRefunded(service)

const textOf = ({ html }: Shown): string => html.replaceAll(/<[^>]*>/g, ' ')

test('turnover less refunds has one name where it is shown, and no page says gross', async () => {
  const pages = ['', '/ledgers/default', '/ledgers/default/reports/1', '/settlements/1']
  const names = {
    en: ['Turnover less refunds', 'Gross'],
    nb: ['Omsetning minus refusjoner', 'Brutto'],
  }
  for (const [language, [after = '', vague = '']] of Object.entries(names))
    for (const path of pages) {
      const page = await alice.visit(money + path, { headers: { 'Accept-Language': language } })
      expect([path, textOf(page).includes(after)]).toEqual([path, path !== '/settlements/1'])
      expect(textOf(page)).not.toContain(vague)
    }
  for (const language of ['en', 'nb'] as const) {
    const { turnover, refunds, fees } = textsIn[language].money
    expect(textsIn[language].overview).toMatchObject({ turnover, refunds, fees })
    expect(textsIn[language].money.turnoverLess).toMatch(new RegExp(`^${turnover} `))
  }
})

test('an open report is downloaded as far as it is, with the lines it closes with', async () => {
  const report = `${money}/ledgers/default/reports/1`
  const page = await alice.visit(report)
  expect(textOf(page)).toMatch(/Transactions so far,\s+CSV/)
  const norwegian = await alice.visit(report, { headers: { 'Accept-Language': 'nb' } })
  expect(textOf(norwegian)).toMatch(/så langt,\s+Excel/)
  expect(page.html).not.toContain('scopes-so-far')
  const any = { headers: { Accept: '*/*' } }
  expect((await alice.visit(`${report}/scopes-so-far.csv`, any)).status).toBe(404)
  const linesOf = async (file: string) => {
    const { status, html } = await alice.visit(`${report}/${file}`, any)
    expect([file, status]).toEqual([file, 200])
    return html.trim().split('\n').sort()
  }
  const soFar = await linesOf('transactions-so-far.csv')
  expect(soFar.length).toBeGreaterThan(7)
  const cookie = [...alice.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  const address = `${service.address}${report}/transactions-so-far.xlsx`
  const answer = await fetch(address, { headers: { Cookie: cookie } })
  expect(answer.headers.get('content-disposition')).toMatch(/report-1-so-far-2[\w-]+\.xlsx"/)
  const file = join(service.folder, 'so-far.xlsx')
  writeFileSync(file, new Uint8Array(await answer.arrayBuffer()))
  const [[title] = []] = await readSheet(file, 1)
  expect(title).toMatch(/^The report is open\. Sums so far, 2.* \(UTC\)$/)
  expect(await readSheet(file, 2)).toHaveLength(soFar.length)
  await alice.submit(await alice.visit(`${report}?close`), { decision: 'close' })
  await service.advance(0)
  expect(await linesOf('transactions-1.csv')).toEqual(soFar)
  expect((await alice.visit(`${report}/transactions-so-far.csv`, any)).status).toBe(404)
  expect((await alice.visit(`${money}/ledgers/default/reports/2/transactions-1.csv`)).status).toBe(
    404,
  )
  const next = `${money}/ledgers/default/reports/2/transactions-so-far.csv`
  expect((await alice.visit(next, any)).html.trim().split('\n')).toHaveLength(1)
})
