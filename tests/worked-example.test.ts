import { beforeAll, describe, expect, test } from 'vitest'
import { examplePage, printedExample } from '../docs/worked-example.ts'
import type { Played } from '../docs/worked-days.ts'
import { testValid, validator } from './accounting/schemas.ts'

const problemsOf = validator()

describe('the worked example', { tags: 'long' }, () => {
  let printed: { readonly page: string; readonly played: Played }

  beforeAll(async () => {
    printed = await printedExample()
  })

  test('has the figures of a run (`npm run docs:example` prints them), which tie', () => {
    expect(examplePage).toBe(printed.page)
  })

  testValid('has files that the published schemas take', () => {
    const { orders, statements, paidIn, saft } = printed.played
    expect(problemsOf('pain001', orders)).toEqual([])
    expect(problemsOf('camt053', [...statements, paidIn])).toEqual([])
    expect(problemsOf('saft', [saft])).toEqual([])
  })
})
