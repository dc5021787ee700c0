// @module-tag long
import { expect, test } from 'vitest'
import type { PaymentRequest } from '../../domain/payment/payment-events.ts'
import { paymentTextQueries, paymentTexts } from '../../projections/payment-texts.ts'
import { events } from '../domain/payments.ts'
import { foldedFile } from './folded-file.ts'

const file = foldedFile()

const requested = (tid: string, posTid: string, changes: Partial<PaymentRequest> = {}) =>
  file.happened(`payment-${tid}`, events.requested({ posTid, text: null, ...changes }))

const containing = (part: string, merchant = 'sandbox'): readonly string[] =>
  [...paymentTextQueries(file.db).containing(merchant, part)].flat()

test('payments are found by any part of an order number or a text, newest first', () => {
  requested('one', 'A-2026-0042', { text: 'Kaffe og\nKanelbolle' })
  requested('two', 'A-2026-0043', { text: 'CAFE\u0301 CRÈME' })
  requested('other', 'A-2026-0042', { merchant: 'sandbox2', text: 'Kaffe' })
  expect(containing('2026-004')).toEqual(['two', 'one'])
  expect(containing('0042')).toEqual(['one'])
  expect(
    ['kanel', 'KAFFE OG KANEL', 'café', 'cre\u0300me'].map((part) => containing(part)),
  ).toEqual([...[['one'], ['one'], ['two'], ['two']]])
  expect([containing('kaffe', 'sandbox2'), containing('kaffe', 'sand')]).toEqual([['other'], []])
  // Neither two columns nor two payments are one text.
  expect([containing('0042 kaffe'), containing('bolle a-2026')]).toEqual([[], []])
})

test('thousands of payments and long texts lie in rows of a limited size', () => {
  const numbers = Array.from({ length: 700 }, (_, number) => number)
  for (const number of numbers) {
    requested(`a${number}`, `order-${number}`)
    if (number % 7 === 0) requested(`b${number}`, 'big', { merchant: 'b', text: 'x'.repeat(1_000) })
  }
  const sizes = (merchant: string) =>
    file.db
      .select()
      .from(paymentTexts)
      .all()
      .filter(({ key }) => key.split('/')[0] === merchant)
      .map(({ count, lines }) => [count, lines.length < 20_000])
  expect(sizes('sandbox')).toEqual(
    expect.arrayContaining([
      [188, true],
      [256, true],
    ]),
  )
  expect(sizes('sandbox')).toHaveLength(3)
  expect(sizes('b').map(([count]) => Number(count) <= 17)).toEqual(Array(6).fill(true))
  const expected = numbers.filter((number) => `${number}`.includes('69')).map((one) => `a${one}`)
  expect(containing('69')).toEqual(expected.reverse())
  expect(containing('ord')).toHaveLength(700)
  expect(containing('big', 'b')).toHaveLength(100)
})

test('whatever part of a full row is searched, it is found there, and nothing else is', () => {
  const words = ['Øl', 'kaffe', 'æble', '日本', 'tab 12', '€ 5']
  const texts = Array.from({ length: 300 }, (_, at) => `${at * 37} ${words[at % 6]}`)
  for (const [at, text] of texts.entries()) requested(`c${at}`, 'number', { merchant: 'c', text })
  const parts = texts.flatMap((text) => [text.slice(1, 4), text.slice(-2), text.slice(2)])
  for (const part of new Set(['ø', '日', '本', 'q', 'zzz', ...parts])) {
    const expected = [...texts.keys()].filter((at) =>
      `number\t${texts[at]}`.toLowerCase().includes(part.toLowerCase()),
    )
    expect(containing(part, 'c'), part).toEqual(expected.reverse().map((at) => `c${at}`))
  }
})
