// @module-tag long
import { expect, test } from 'vitest'
import { portalTries } from './portal-tries.ts'
import { shopOfAlice } from './shop-of-alice.ts'

const { service, alice } = await shopOfAlice()
const shop = '/portal/sandbox/'

type Parameter = { readonly in: string; readonly name: string }
type Paths = Readonly<
  Record<string, { readonly get?: { readonly parameters?: readonly Parameter[] } }>
>

/** The names of a path's filters, according to the OpenAPI document. */
const filtersOf = (paths: Paths, path: string) =>
  (paths[`/portal/{merchant}/${path}`]?.get?.parameters ?? [])
    .filter((one) => one.in === 'query')
    .map(({ name }) => name)
    // These request a form, whatever their value.
    .filter((name) => !['invite', 'leave', 'member', 'remove', 'add', 'secret'].includes(name))

/** The main part of a page, without what is new each time. */
const mainOf = (html: string): string =>
  (/<main[^>]*>([^]*)<\/main>/.exec(html)?.[1] ?? html)
    .replaceAll(/name="(csrf|made|mark)" value="[^"]*"/g, '')
    .replaceAll(/\d\d:\d\d/g, '')

const lists = ['', 'payments', 'payments.csv', 'money', 'developers', 'developers/callbacks']

test('empty filters of a list are taken as not given', async () => {
  await service.requestPayment({ pos_tid: 'one', customer: '4799999901' })
  await alice.visit(shop)
  const { body } = await service.call('GET', '/openapi.json')
  const known = portalTries.map(({ path }) => path.split('?')[0])
  expect(known).toEqual(expect.arrayContaining(lists))
  for (const path of lists) {
    const names = filtersOf(body.paths, path)
    const query = names.map((name) => `${name}=`).join('&')
    const [plain, empty] = [
      await alice.visit(shop + path),
      await alice.visit(`${shop}${path}?${query}`),
    ]
    expect([path, empty.status]).toEqual([path, 200])
    if (!names.includes('done')) expect(mainOf(empty.html), path).toBe(mainOf(plain.html))
  }
})
