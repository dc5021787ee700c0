import { rmSync } from 'node:fs'
import { afterAll, describe, expect, test } from 'vitest'
import { readSettings, WrongSettings } from '../../infrastructure/settings.ts'
import { openStore } from '../../infrastructure/stores.ts'
import { newFolder } from '../../harness/running-service.ts'
import { runCommand } from '../../harness/shop-process.ts'

const DATA_DIR = newFolder()
afterAll(() => rmSync(DATA_DIR, { recursive: true }))

/** The error message for invalid settings. */
const complaint = async (settings: Readonly<Record<string, string>>): Promise<string> => {
  try {
    await (await openStore(readSettings({ DATA_DIR, ...settings }))).close()
  } catch (error) {
    if (error instanceof WrongSettings) return error.message
    throw error
  }
  throw new Error('the settings are taken')
}

test('given wrong settings, then the message says what each must be', async () => {
  const wrong = {
    PORT: 'abc',
    EVENT_STORE: 'mysql://admin:changeit@there',
    MODE: 'holiday',
    HEADER_PREFIX: '-X',
    TRUSTED_PROXIES: '10.0.0.0/8, my-proxy',
    ABSOLUTE_URIS: 'yes',
    CLOCK_TOLERANCE_SECONDS: '1.5',
    PRIVATE_CALLBACKS: 'no',
    CALLBACK_CA_FILE: 'package.json',
    BANK_ACCOUNT: 'NO00',
    BANK_BIC: 'dnb',
    LOG_LEVEL: 'loud',
  }
  const { code, output, errors } = await runCommand({ DATA_DIR, ...wrong }, 'merchant', 'list')
  expect([code, output]).toEqual([2, ''])
  expect(errors).toBe(
    [
      'Wrong settings:',
      'PORT="abc": must be a whole number from 0 to 65535',
      'TRUSTED_PROXIES="10.0.0.0/8, my-proxy": must be addresses or networks such as 10.0.0.0/8, with commas between them',
      'EVENT_STORE="mysql://…@there": must be sqlite, or a connection string that begins with esdb:// or kurrentdb://',
      'MODE="holiday": must be sandbox or production',
      'HEADER_PREFIX="-X": must be letters, digits and -, beginning with a letter',
      'ABSOLUTE_URIS="yes": must be true or false',
      'CLOCK_TOLERANCE_SECONDS="1.5": must be a whole number from 1 to 86400',
      'PRIVATE_CALLBACKS="no": must be allow or refuse',
      'CALLBACK_CA_FILE="package.json": must be a PEM file of certificates: there is no certificate in it',
      'BANK_ACCOUNT="NO00": must be an IBAN as its country writes them, or a national account number',
      'BANK_BIC="dnb": must be a BIC, 8 or 11 capital letters and digits such as DNBANOKK',
      'LOG_LEVEL="loud": must be fatal, error, warn, info, debug, trace or silent',
      '',
    ].join('\n'),
  )
})

test('given a connection string that its client cannot read, then that is a wrong setting too', async () => {
  expect(await complaint({ EVENT_STORE: 'esdb://there?tls=maybe' })).toMatch(
    /^EVENT_STORE="esdb:\/\/there\?tls=maybe": must be a connection string: .*$/,
  )
})

test('given a file of certificates that is not there, then that is a wrong setting', async () => {
  expect(await complaint({ CALLBACK_CA_FILE: '/nowhere.pem' })).toBe(
    'CALLBACK_CA_FILE="/nowhere.pem": must be a PEM file of certificates: ' +
      "ENOENT: no such file or directory, open '/nowhere.pem'",
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
    expect(await complaint({ PUBLIC_URL })).toMatch(new RegExp(`^PUBLIC_URL=".*": ${rule}$`))
  })

  test('given scheme, host and port, then it is taken, with or without a slash at its end', () => {
    for (const PUBLIC_URL of ['https://Pay.Example', 'http://pay.example:8443/'])
      expect(readSettings({ DATA_DIR, PUBLIC_URL }).PUBLIC_URL).toBe(PUBLIC_URL.replace(/\/$/, ''))
  })
})

test('given accounts that settlement accounts may have, then payouts may come from them', () => {
  const taken = (BANK_ACCOUNT: string) => readSettings({ DATA_DIR, BANK_ACCOUNT }).BANK_ACCOUNT
  expect(taken('NO93 8601 1117 947')).toBe('NO9386011117947')
  expect(taken('8601.11.17947')).toBe('86011117947')
})
