// @module-tag night
import { test } from 'vitest'
import {
  checkCamtWorlds,
  checkPayoutWorlds,
  checkReportWorlds,
  checkSaftWorlds,
} from './file-worlds.ts'
import { testValid, validator, whyNot } from './schemas.ts'

const validate = validator()
const worlds = 1_000

testValid(
  'payout files of 1,000 worlds, and of 1,000 of SEPA, pass the schemas',
  () => {
    checkPayoutWorlds(validate, worlds)
  },
  600_000,
)

test('bank files of 1,000 worlds are read as they say', () => {
  checkCamtWorlds(whyNot === undefined ? validate : undefined, worlds)
}, 600_000)

test('status reports of 1,000 worlds pass the schema, and refuse what they say', () => {
  checkReportWorlds(whyNot === undefined ? validate : undefined, worlds)
}, 600_000)

/** Each has a file of every currency: 1,000 take a minute or two. */
const saftWorlds = Number(process.env['SAFT_WORLDS'] ?? 100)

test(`SAF-T of ${saftWorlds} worlds passes the schema, with the journal's sums`, () => {
  checkSaftWorlds(whyNot === undefined ? validate : undefined, saftWorlds)
}, 600_000)
