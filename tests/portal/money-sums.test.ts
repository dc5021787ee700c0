import { expect, test } from 'vitest'
import { moneyTexts } from '../../http/portal/texts-money.ts'
import { overviewTexts } from '../../http/portal/texts-overview.ts'
import type { Shown } from '../people/visitor.ts'
import { shopOfAlice } from './shop-of-alice.ts'
import { soldAndRefunded } from './sold.ts'

const { service, alice } = await shopOfAlice()
const money = '/portal/sandbox/money'
await soldAndRefunded(service)

const textOf = ({ html }: Shown): string => html.replaceAll(/<[^>]*>/g, ' ')

test('a sum after refunds is called so on each page, and turnover is before them', async () => {
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
    const { turnover, refunds, fees } = moneyTexts[language]
    expect(overviewTexts[language]).toMatchObject({ turnover, refunds, fees })
    expect(moneyTexts[language].turnoverLess).toMatch(new RegExp(`^${turnover} `))
  }
})
