import { describe, expect, test } from 'vitest'
import { statusCodeDescriptions, statusCodes } from '../../domain/payment/status.ts'
import { Refusal, refuse } from '../../domain/refusal.ts'

describe('refusals and status codes', () => {
  test('a refusal is an error whose message is its reason in words', () => {
    expect(() => refuse('capture_exceeds_authorization')).toThrow(Refusal)
    const refusal = new Refusal('capture_exceeds_authorization')
    expect(refusal).toMatchObject({
      name: 'Refusal',
      code: 'capture_exceeds_authorization',
      message: 'capture exceeds authorization',
    })
    expect(refusal).toBeInstanceOf(Error)
  })

  test('the status codes are those of interface 5, each with a description', () => {
    expect(statusCodes).toEqual({
      PENDING: 1003,
      OK: 2000,
      AUTH: 3008,
      NOT_FOUND: 4004,
      ABORTED: 4019,
      REJECTED: 5006,
      INSUFFICIENT_FUNDS: 5007,
      AMOUNT_LIMIT_EXCEEDED: 5008,
      REQUEST_EXPIRED: 5011,
      AUTH_EXPIRED: 5012,
    })
    expect(Object.keys(statusCodeDescriptions)).toEqual(Object.keys(statusCodes))
    for (const description of Object.values(statusCodeDescriptions))
      expect(description).toMatch(/^The .{10,}\.$/)
  })
})
