import { describe, expect, test } from 'vitest'
import {
  eventCatalogue,
  parseEvent,
  schemaVersion,
  UnreadableEvent,
  upToDate,
} from '../../domain/events.ts'
import { events, lineItem, morning } from './payments.ts'

const stored = (type: string, data: unknown, metadata: object = {}) => ({
  id: 'e1',
  stream: 'payment-t',
  revision: 0,
  position: 7,
  type,
  data,
  metadata: {
    at: morning,
    merchant: 'sandbox',
    actor: 'user:pos1',
    correlationId: 'request-1',
    causationId: null,
    schema: 1,
    ...metadata,
  },
})

const charge = { fee: 0, interchange: 0, vat: 0, taxcode: 'NO:2013' }

describe('reading an event', () => {
  test('gives it as it was written', () => {
    const { type, data } = events.requested({
      lineItems: [lineItem(10_000)],
      links: [{ uri: 'https://a', caption: 'A', showOn: ['pending', 'ok', 'fail'] }],
    })
    expect(parseEvent(stored(type, data))).toEqual(stored(type, data))
  })

  test('keeps who caused it and what led to it', () => {
    const { metadata } = parseEvent(
      stored('PaymentAborted', {}, { merchant: null, causationId: 'e0' }),
    )
    expect(metadata).toMatchObject({ merchant: null, causationId: 'e0', actor: 'user:pos1' })
  })

  test('fails with its own error, which lists all problems in one line', () => {
    const failure = (() => {
      try {
        return parseEvent(stored('PaymentAborted', {}, { at: 1.5, actor: 3 }))
      } catch (error) {
        return error
      }
    })()
    expect(failure).toBeInstanceOf(UnreadableEvent)
    const [first, ...problems] = String(failure).split(' ✖ ')
    expect(first).toBe('UnreadableEvent: event 7, PaymentAborted in payment-t, cannot be read:')
    expect(problems).toEqual([
      expect.stringMatching(/^[^✖\n]+ → at at$/),
      expect.stringMatching(/^[^✖\n]+ → at actor$/),
    ])
  })

  test.each(['PaymentVanished', 'toString', '__proto__'])(
    'fails for the unknown type %s and says where it stands',
    (type) => {
      expect(() => parseEvent(stored(type, {}))).toThrow(
        /^event 7, .* in .*, cannot be read: this version knows no such type$/,
      )
    },
  )

  test.each([
    ['PaymentCaptured', { captureId: 'a', amount: 1.5, additionalAmount: 0, charge }],
    ['PaymentCaptured', { captureId: 'a', amount: 2 ** 53, additionalAmount: 0, charge }],
    ['PaymentCaptured', { captureId: 'a', amount: '1', additionalAmount: 0, charge }],
    ['PaymentCaptured', { amount: 1, additionalAmount: 0, charge }],
    ['PaymentAuthorized', { payer: 'alice' }],
    ['PaymentFailed', { statusCode: 2000 }],
    ['PaymentRequested', null],
    ['ClockAdvanced', { aheadBy: -1 }],
    ['InstallationMade', { key: 'not base64!' }],
    ['CallbackAttempted', { result: 'lost' }],
  ])('fails for %s with data that are not of its shape, and says where it stands', (type, data) => {
    expect(() => parseEvent(stored(type, data))).toThrow(`event 7, ${type} in `)
  })

  test.each(['at', 'merchant', 'actor', 'correlationId', 'causationId', 'schema'])(
    'fails without %s in its metadata',
    (field) => {
      expect(() => parseEvent(stored('PaymentAborted', {}, { [field]: undefined }))).toThrow()
    },
  )
})

describe('data of an older version', () => {
  const steps = [(data: unknown) => ({ first: data }), (data: unknown) => ({ second: data })]

  test.each([
    [1, { second: { first: 'old' } }],
    [2, { second: 'old' }],
    [3, 'old'],
  ])('of version %i go through the steps that came after it, in order', (version, data) => {
    expect(upToDate(steps, version, 'old')).toEqual(data)
  })

  test.each([
    ['PaymentReleased', 2],
    ['PayoutOrdered', 3],
    ['PaymentReleased', 99],
  ])(
    'of %s of version %i, which this code does not know yet, are not taken for older ones',
    (type, version) => {
      const { data } = events.released(100, 0)
      expect(() => parseEvent(stored(type, data, { schema: version }))).toThrow(
        `cannot be read: it is of version ${version}, ` +
          `this code knows up to ${version === 3 ? 2 : 1}`,
      )
    },
  )

  test.each([0, -1, 1.5])('of version %d, which there never was, cannot be read', (version) => {
    const { data } = events.released(100, 0)
    const event = stored('PaymentReleased', data, { schema: version })
    expect(() => parseEvent(event)).toThrow('schema')
  })

  test('of the only version stay as they are', () => {
    expect(upToDate([], 1, 'as it is')).toBe('as it is')
  })

  test('of an order of payouts that did not say what it pays: it is read as saying nothing', () => {
    const order = { serial: 1, messageId: 'm', payoutAccount: 'NO93', payoutDay: '2026-11-23' }
    expect(parseEvent(stored('PayoutOrdered', order, { schema: 1 })).data).toEqual({
      ...order,
      paid: [],
    })
    const today = schemaVersion('PayoutOrdered')
    expect(() => parseEvent(stored('PayoutOrdered', order, { schema: today }))).toThrow('paid')
  })

  test('of an installation that said nothing of ids are read as one that scatters them', () => {
    const data = { key: 'AA==' }
    const first = parseEvent(stored('InstallationMade', data, { schema: 1 }))
    expect(first.data).toEqual({ ...data, ids: 'scattered' })
    const today = schemaVersion('InstallationMade')
    expect(() => parseEvent(stored('InstallationMade', data, { schema: today }))).toThrow('ids')
    const clustered = { ...data, ids: 'clustered' }
    const second = stored('InstallationMade', clustered, { schema: today })
    expect(parseEvent(second).data).toEqual(clustered)
  })

  test('of an amendment that held all details are read as they were', () => {
    const kept = { callbackUri: null, displayMessageUri: null, links: [], lineItems: [] }
    const all = { ledger: 'other', ...kept }
    expect(parseEvent(stored('PaymentAmended', all, { schema: 1 })).data).toEqual(all)
    const today = schemaVersion('PaymentAmended')
    const changed = { ledger: 'other' }
    expect(parseEvent(stored('PaymentAmended', changed, { schema: today })).data).toEqual(changed)
  })
})

describe('a refund of the first version', () => {
  const data = (given: object) => {
    const charge = { fee: 0, interchange: 0, vat: 0, taxcode: 'NO:2013', ...given }
    return { refundId: 'r', amount: 100, additionalAmount: 0, text: null, charge }
  }

  test.each([
    [{ fee: -1 }, true],
    [{ interchange: -1 }, true],
    [{ vat: -1 }, true],
    [{}, false],
  ])('whose charge was %j is read as one that gave back its part: %s', (given, returnsFees) => {
    expect(parseEvent(stored('PaymentRefunded', data(given), { schema: 1 })).data).toEqual({
      ...data(given),
      returnsFees,
    })
    const today = schemaVersion('PaymentRefunded')
    const event = stored('PaymentRefunded', data(given), { schema: today })
    expect(() => parseEvent(event)).toThrow('returnsFees')
  })
})

describe('the catalogue', () => {
  test('has the first version of events whose shape and meaning never changed', () => {
    const types = Object.keys(eventCatalogue) as (keyof typeof eventCatalogue)[]
    const changed = types.flatMap((type) =>
      schemaVersion(type) === 1 ? [] : [[type, schemaVersion(type)]],
    )
    expect(changed).toEqual([
      ['InstallationMade', 2],
      ['PaymentAmended', 2],
      ['PaymentRefunded', 3],
      ['SettlementMade', 2],
      ['PayoutOrdered', 2],
    ])
  })
})
