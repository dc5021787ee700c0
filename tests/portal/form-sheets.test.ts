import { expect, test } from 'vitest'
import { shopOfAlice } from './shop-of-alice.ts'

const { service, alice } = await shopOfAlice()
const shop = '/portal/sandbox/'

const besideIn = (html: string): string =>
  (/<aside class="card notes">([^]*?)<\/aside>/.exec(html)?.[1] ?? '')
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()

const forms = {
  [`${shop}staff?invite`]: 'What happens next Tell them yourself where the portal is',
  [`${shop}points-of-sale/new`]: 'What it does A till, a shop or a web shop.',
  [`${shop}points-of-sale/pos/till-1`]: 'What it does A till, a shop or a web shop.',
  [`${shop}points-of-sale/new-code`]: 'What it does One code is enough for all tables',
  [`${shop}developers?add`]: 'What it does The accounts that your tills and servers call',
  [`${shop}developers/applications?add`]: 'What it does OAuth clients.',
  [`${shop}money/times`]: 'What happens next When you are settled',
  '/portal/sign-up': 'What it does The merchant is created at once',
}

test.each(Object.entries(forms))(
  'beside the form of %s stands what it is for',
  async (path, says) => {
    expect(besideIn((await alice.visit(path)).html)).toContain(says)
    const norwegian = await alice.visit(path, { headers: { 'Accept-Language': 'nb' } })
    expect(besideIn(norwegian.html)).toMatch(/Hva (?:det gjør|som skjer videre)/)
  },
)

test('a form about a person shows who they are', async () => {
  await service.operator('staff', 'add', 'sandbox', '+4799999902', '--role', 'developer')
  const { html } = await alice.visit(`${shop}staff`)
  const [, remove = ''] = /class="button slim danger"\s+href="([^"]+)"/.exec(html) ?? []
  expect(besideIn((await alice.visit(remove)).html)).toMatch(
    /^Whom it is about \S.*, Developer Last visit: Not yet What happens next An owner can/,
  )
})

test('what cannot be undone looks like a button that warns, and asks first', async () => {
  const warns = (html: string, query: string) =>
    new RegExp(`<a\\s+class="button (?:slim )?danger"\\s+href="[^"]*\\?${query}`).test(html)
  expect(warns((await alice.visit(`${shop}staff`)).html, 'leave')).toBe(true)
  expect(warns((await alice.visit('/portal/?choose')).html, 'leave=sandbox')).toBe(true)
  expect(warns((await alice.visit(`${shop}points-of-sale/pos/till-1`)).html, 'remove')).toBe(true)
  expect((await alice.visit(`${shop}staff?leave`)).html).toContain('<button class="danger">')
})
