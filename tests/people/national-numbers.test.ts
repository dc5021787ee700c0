import { expect, test } from 'vitest'
import {
  accountReader,
  isOrganizationNumber,
  phonePartReader,
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
  ['NO', '0005', 1_599],
  ['NO', '9100', 10_000 + 1_598],
  ['NO', '+47 9100 00', 100],
  ['NO', '910', 0],
  ['NO', '9100 0005', 0],
  ['NO', '+46 7012 34', 0],
  ['NO', 'A-9100', 0],
  ['SE', '070-123', 10_000 + 60],
  ['ZZ', '9100', 0],
])('in %s the part %s can be of %i mobile numbers', (country, typed, count) => {
  const numbers = phonePartReader(country)(typed)
  const digits = typed.replaceAll(/\D/g, '').replace(/^0(?=7)/, '')
  expect(new Set(numbers).size).toBe(numbers.length)
  expect(numbers.length).toBe(count)
  expect(numbers.every((number) => number.includes(digits))).toBe(true)
  expect(numbers.every((number) => phoneReader(country)(`+${number}`) === number)).toBe(true)
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
