import { describe, expect, test } from 'vitest'
import {
  defaultLedger,
  isOpenLedger,
  ledger,
  type LedgerCommand,
  type LedgerEvent,
} from '../../domain/accounting/ledger.ts'
import { examplesOf } from './given.ts'

const given = examplesOf(ledger)

const data = { merchant: 'm', id: 'bar', currency: 'NOK', description: 'The bar' }
const ofDefault = { ...data, id: defaultLedger, description: null }
const completion = {
  counters: { capture: 1 },
  totals: [],
  transactionLogs: [{ sha256: 'a1', lines: 1, bytes: 90 }],
  scopeLogs: [],
}

const registered: LedgerEvent = { type: 'LedgerRegistered', data }
const disabled: LedgerEvent = { type: 'LedgerDisabled', data: {} }
const enabled: LedgerEvent = { type: 'LedgerEnabled', data: {} }
const changed = (description: string | null): LedgerEvent => ({
  type: 'LedgerChanged',
  data: { description },
})
const closed = (report: number): LedgerEvent => ({
  type: 'ReportClosed',
  data: { report, openedAt: 7, callbackUri: 'https://shop.example/' },
})
const completed = (report: number): LedgerEvent => ({
  type: 'ReportCompleted',
  data: { report, ...completion },
})

const implied = null
const register = (more: object = {}): LedgerCommand => ({
  type: 'RegisterLedger',
  data: { ...data, ...more },
  implied,
})
const change = (to: object, of: typeof data | typeof ofDefault | null = null): LedgerCommand => ({
  type: 'ChangeLedger',
  implied: of,
  ...to,
})
const close = (report: number, of: typeof ofDefault | null = null): LedgerCommand => ({
  type: 'CloseReport',
  report,
  openedAt: 7,
  callbackUri: 'https://shop.example/',
  implied: of,
})
const complete = (report: number): LedgerCommand => ({ type: 'CompleteReport', report, completion })

describe('registering a ledger', () => {
  test('given none, then it is there with its description', () => {
    given().when(register()).then(registered)
    expect(given(registered).state).toMatchObject({ registered: data, description: 'The bar' })
  })

  test('given it, when it comes again, then nothing happens, whatever was changed since', () => {
    given(registered, changed('Another')).when(register()).thenNothing()
  })

  test('given it, when it comes with other data, then it is refused', () => {
    given(registered)
      .when(register({ currency: 'SEK' }))
      .thenRefused('id_used_with_other_data')
  })

  test('given the default ledger, when it is registered otherwise, then it is refused', () => {
    given()
      .when({ ...register(), implied: ofDefault } as LedgerCommand)
      .thenRefused('id_used_with_other_data')
  })
})

describe('changing a ledger', () => {
  test('given none, then it is unknown', () => {
    given()
      .when(change({ description: 'x' }))
      .thenRefused('resource_is_unknown')
  })

  test('given it, when all is changed, then all of it is', () => {
    given(registered)
      .when(change({ description: null, enabled: false }))
      .then(changed(null), disabled)
    expect(given(registered, changed(null), disabled).state).toMatchObject({
      description: null,
      enabled: false,
    })
  })

  test('given it, when a change has the same or no values, then nothing happens', () => {
    given(registered)
      .when(change({ description: 'The bar', enabled: true }))
      .thenNothing()
    given(registered).when(change({})).thenNothing()
    given(registered, disabled)
      .when(change({ enabled: false }))
      .thenNothing()
  })

  test('given that it is disabled, when it is enabled, then requests may use it', () => {
    given(registered, disabled)
      .when(change({ enabled: true }))
      .then(enabled)
    expect(isOpenLedger(given(registered, disabled).state, 'bar')).toBe(false)
    expect(isOpenLedger(given(registered, disabled, enabled).state, 'bar')).toBe(true)
  })

  test('given the default ledger, then it is described and enabled, and never disabled', () => {
    given()
      .when(change({ description: 'All' }, ofDefault))
      .then(changed('All'))
    given()
      .when(change({ enabled: true }, ofDefault))
      .thenNothing()
    given()
      .when(change({ description: 'All', enabled: false }, ofDefault))
      .thenRefused('default_ledger_cannot_be_disabled')
  })
})

test('given no ledger, then only the default one may be used', () => {
  expect(isOpenLedger(ledger.initial, defaultLedger)).toBe(true)
  expect(isOpenLedger(ledger.initial, 'bar')).toBe(false)
})

describe('closing a report', () => {
  test('given the open report, when it is closed, then the next is open', () => {
    given(registered).when(close(1)).then(closed(1))
    given(registered, closed(1)).when(close(2)).then(closed(2))
    given().when(close(1, ofDefault)).then(closed(1))
  })

  test('given a closed report, when it is closed again, then nothing happens', () => {
    given(registered, closed(1)).when(close(1)).thenNothing()
  })

  test.each([0, 3])(
    'given that report 2 is open, when %i is closed, then it is unknown',
    (report) => {
      given(registered, closed(1)).when(close(report)).thenRefused('resource_is_unknown')
    },
  )

  test('given no ledger, then its report is unknown', () => {
    given().when(close(1)).thenRefused('resource_is_unknown')
  })
})

describe('completing a report', () => {
  const twoClosed = [registered, closed(1), closed(2)]

  test('given closed reports, when the first is completed, then the second can be', () => {
    given(...twoClosed)
      .when(complete(1))
      .then(completed(1))
    given(...twoClosed, completed(1))
      .when(complete(2))
      .then(completed(2))
  })

  test('given a completed report, when it is completed again, then nothing happens', () => {
    given(...twoClosed, completed(1))
      .when(complete(1))
      .thenNothing()
  })

  test('given closed reports, when one is left out, then it is refused', () => {
    given(...twoClosed)
      .when(complete(2))
      .thenRefused('resource_is_unknown')
  })

  test('given the open report, when it is completed, then it is refused', () => {
    given(...twoClosed, completed(1), completed(2))
      .when(complete(3))
      .thenRefused('resource_is_unknown')
    given(registered).when(complete(1)).thenRefused('resource_is_unknown')
  })
})
