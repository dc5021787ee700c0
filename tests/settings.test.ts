import { rmSync } from 'node:fs'
import { afterAll, describe, expect, test } from 'vitest'
import { newFolder, runCommand } from './service-process.ts'

const DATA_DIR = newFolder()
afterAll(() => rmSync(DATA_DIR, { recursive: true }))

/** What a command says of settings that cannot be. */
const complaint = async (settings: Readonly<Record<string, string>>): Promise<string> => {
  const { code, output, errors } = await runCommand({ DATA_DIR, ...settings }, 'merchant', 'list')
  expect([code, output]).toEqual([2, ''])
  return errors
}

test('given wrong settings, then each is told in plain words what it must be', async () => {
  const wrong = {
    PORT: 'abc',
    EVENT_STORE: 'mysql://admin:changeit@there',
    MODE: 'holiday',
    HEADER_PREFIX: '-X',
    ABSOLUTE_URIS: 'yes',
    CLOCK_TOLERANCE_SECONDS: '1.5',
    PRIVATE_CALLBACKS: 'no',
    BANK_ACCOUNT: 'NO00',
    BANK_BIC: 'dnb',
    LOG_LEVEL: 'loud',
  }
  expect(await complaint(wrong)).toBe(
    [
      'Wrong settings:',
      'PORT="abc": must be a whole number from 0 to 65535',
      'EVENT_STORE="mysql://…@there": must be sqlite, or a connection string that begins with esdb:// or kurrentdb://',
      'MODE="holiday": must be sandbox or production',
      'HEADER_PREFIX="-X": must be letters, digits and -, beginning with a letter',
      'ABSOLUTE_URIS="yes": must be true or false',
      'CLOCK_TOLERANCE_SECONDS="1.5": must be a whole number from 1 to 86400',
      'PRIVATE_CALLBACKS="no": must be allow or refuse',
      'BANK_ACCOUNT="NO00": must be an IBAN with right check digits, or a national account number',
      'BANK_BIC="dnb": must be a BIC, 8 or 11 capital letters and digits such as DNBANOKK',
      'LOG_LEVEL="loud": must be fatal, error, warn, info, debug, trace or silent',
      '',
    ].join('\n'),
  )
})

test('given a connection string that its client cannot read, then that is a wrong setting too', async () => {
  expect(await complaint({ EVENT_STORE: 'esdb://there?tls=maybe' })).toMatch(
    /^Wrong settings:\nEVENT_STORE="esdb:\/\/there\?tls=maybe": must be a connection string: .*\n$/,
  )
})

describe('PUBLIC_URL', () => {
  const alone = 'must be scheme, host and port alone: no path, no query, no fragment, no user'
  test.each([
    ['https://pay.example/shop', alone],
    ['https://pay.example/?a=b', alone],
    ['https://pay.example#pay', alone],
    ['https://admin@pay.example', alone],
    ['ftp://pay.example', 'must be an address such as https://pay.example'],
    ['pay.example', 'must be an address such as https://pay.example'],
  ])('given %s, then it is refused', async (PUBLIC_URL, rule) => {
    expect(await complaint({ PUBLIC_URL })).toMatch(
      new RegExp(`^Wrong settings:\nPUBLIC_URL=".*": ${rule}\n$`),
    )
  })

  test('given scheme, host and port, then it is taken, with or without a slash at its end', async () => {
    for (const PUBLIC_URL of ['https://Pay.Example', 'http://pay.example:8443/']) {
      const { code, output } = await runCommand({ DATA_DIR, PUBLIC_URL }, 'openapi')
      expect(code).toBe(0)
      expect(JSON.parse(output).servers).toEqual([{ url: PUBLIC_URL.replace(/\/$/, '') }])
    }
  })
})

test('given accounts that settlement accounts may have, then payouts may come from them', async () => {
  for (const BANK_ACCOUNT of ['NO93 8601 1117 947', '8601.11.17947']) {
    const { code, errors } = await runCommand({ DATA_DIR, BANK_ACCOUNT }, 'merchant', 'list')
    expect([code, errors]).toEqual([0, ''])
  }
})
