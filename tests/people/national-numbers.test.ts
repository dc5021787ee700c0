import { expect, test } from 'vitest'
import {
  accountReader,
  isOrganizationNumber,
  phoneReader,
} from '../../infrastructure/national-numbers.ts'

test.each([
  ['NO', '9100 0005', '4791000005'],
  ['NO', '+46 70 123 45 67', '46701234567'],
  ['NO', '0046701234567', '46701234567'],
  ['NO', '4791000005', '4791000005'],
  ['NO', '1234 5678', undefined],
  ['NO', '910', undefined],
  ['SE', '070-123 45 67', '46701234567'],
  ['DK', '22 11 33 44', '4522113344'],
])('in %s the phone number %s is %s', (country, typed, digits) => {
  expect(phoneReader(country)(typed)).toBe(digits)
})

test.each([
  ['NO', '987654325', true],
  ['NO', '987654321', false],
  ['NO', '98765432', false],
  ['NO', 'SE5560360793', true],
  ['SE', '5560360793', true],
  ['SE', '5560360794', false],
  ['DK', '13585628', true],
  ['DK', '13585629', false],
  ['DE', '123456', true],
])('in %s %s can be the number of a business: %s', (country, number, expected) => {
  expect(isOrganizationNumber(country)(number)).toBe(expected)
})

test.each([
  ['NO', '8601.11.17947', '86011117947'],
  ['NO', '8601.11.17948', undefined],
  ['NO', '8601 11 1794', undefined],
  ['NO', 'NO93 8601 1117 947', 'NO9386011117947'],
  ['SE', '8601 11 1794', '8601111794'],
])('in %s the account %s is %s', (country, typed, account) => {
  expect(accountReader(country)(typed)).toBe(account)
})
