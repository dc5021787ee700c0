import { rmSync } from 'node:fs'
import { afterAll, describe, expect, test } from 'vitest'
import { readSettings, WrongSettings } from '../../infrastructure/settings.ts'
import { openStore } from '../../infrastructure/stores.ts'
import { newFolder } from '../../harness/in-process.ts'
import { runCommand } from '../support/shop-process.ts'

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

test('given a connection string that its client cannot read, then it is a wrong setting', async () => {
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

describe('an unknown variable', () => {
  test.each([
    ['VAULT_KEYFILE', 'VAULT_KEY_FILE'],
    ['PUBLIC_URI', 'PUBLIC_URL'],
    ['DATADIR', 'DATA_DIR'],
    ['TRUSTED_PROXY', 'TRUSTED_PROXIES'],
    ['TRUST_PROXY', 'TRUSTED_PROXIES'],
    ['MODES', 'MODE'],
    ['WITNESS', 'WITNESSES'],
    ['Log_Level', 'LOG_LEVEL'],
    ['vault', 'VAULT'],
    ['S3_SECRET', 'S3_SECRET_ACCESS_KEY'],
  ])('given %s, then the start stops and names %s', async (given, meant) => {
    expect(await complaint({ [given]: 'x' })).toBe(
      `${given}: is no setting; did you mean ${meant}?`,
    )
  })

  test('given an empty value, then it counts as absent', () => {
    expect(readSettings({ VAULT_KEYFILE: '' }).VAULT_KEY_FILE).toBe(undefined)
  })

  test.each([
    ...['MODEL', 'NODE', 'NODE_ENV', 'NODE_OPTIONS', 'HOME', 'PATH', 'USER', 'LOGNAME', 'HOSTNAME'],
    ...['CREDENTIALS_DIRECTORY', 'STATE_DIRECTORY', 'INVOCATION_ID', 'JOURNAL_STREAM'],
    ...['npm_config_cache', 'AWS_REGION', 'VAULT_ADDR', 'VAULT_TOKEN', 'LANG', 'TZ', 'TMPDIR'],
    ...['VAULT_SERVICE_HOST', 'VAULT_PORT_8200_TCP', 'SSL_CERT_FILE', 'UV_THREADPOOL_SIZE'],
  ])('given %s of somebody else, then the service starts', (name) => {
    expect(() => readSettings({ [name]: 'x' })).not.toThrow()
  })
})

describe('production', () => {
  const production = { MODE: 'production', PUBLIC_URL: 'https://pay.example' }
  const needsKey =
    'MODE="production": needs VAULT_KEY_FILE or VAULT_KEY_COMMAND, to wrap the keys in the ' +
    'vault; VAULT_KEY_FILE=none leaves them in the clear'
  const needsHttps = 'needs PUBLIC_URL with https, as payers sign in over https only'

  test('given no key of the vault and no address, then both are asked for', async () => {
    expect(await complaint({ MODE: 'production' })).toBe(
      `${needsKey}\nMODE="production": ${needsHttps}`,
    )
  })

  test('given a vault in streams, then `none` is no key', async () => {
    const EVENT_STORE = 'esdb://127.0.0.1:1'
    expect(
      await complaint({ ...production, EVENT_STORE, VAULT: 'streams', VAULT_KEY_FILE: 'none' }),
    ).toBe('VAULT="streams": needs VAULT_KEY_FILE or VAULT_KEY_COMMAND, to wrap its keys')
  })

  test('given an address without https, then it is refused', async () => {
    const PUBLIC_URL = 'http://pay.example'
    const given = { MODE: 'production', VAULT_KEY_FILE: 'none', PUBLIC_URL }
    expect(await complaint(given)).toBe(`PUBLIC_URL="${PUBLIC_URL}": ${needsHttps}`)
    expect(await complaint({ ...given, PUBLIC_URL: 'pay.example' })).not.toContain(needsHttps)
  })

  test('given a key, or an explicit word for none, then it is taken', () => {
    for (const key of [
      { VAULT_KEY_FILE: 'none' },
      { VAULT_KEY_FILE: '/etc/daybook/vault-key' },
      { VAULT_KEY_COMMAND: 'cat /etc/daybook/vault-key' },
    ])
      expect(readSettings({ ...production, ...key })).toMatchObject({ MODE: 'production', ...key })
  })
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

test.each([
  ['S3_ENDPOINT', 'https://s3.example/?a=b'],
  ['S3_ENDPOINT', 'https://s3.example/#a'],
  ['S3_ENDPOINT', 'https://me:secret@s3.example'],
  ['BLOBS', 's3://'],
  ['BLOBS', 's3:blobs'],
  ['BLOBS', 's3:///blobs'],
  ['BLOBS', 's3://blobs/../other'],
  ['BLOBS', 's3://blobs/a/.'],
])(
  'given %s with %s, to which paths cannot be appended, then it is refused',
  async (name, given) => {
    expect(await complaint({ [name]: given })).toMatch(new RegExp(`^${name}=".*": must be `))
  },
)

test('given addresses that take paths, then their last slashes do not count', () => {
  const key = 'witness.example+2b8a+BK0k'
  for (const [given, taken] of [
    ['https://s3.example///', 'https://s3.example'],
    ['https://s3.example/store//', 'https://s3.example/store'],
  ])
    expect(readSettings({ DATA_DIR, S3_ENDPOINT: given }).S3_ENDPOINT).toBe(taken)
  expect(() => readSettings({ DATA_DIR, WITNESSES: `https://w.example/?a=b ${key}` })).toThrow(
    'must be an address',
  )
  for (const BLOBS of ['s3://b', 's3://b/', 's3://b//a/.b/', '/var/blobs', '../blobs'])
    expect(readSettings({ DATA_DIR, BLOBS }).BLOBS).toBe(BLOBS)
})

test('given accounts that settlement accounts may have, then payouts may come from them', () => {
  const taken = (BANK_ACCOUNT: string) => readSettings({ DATA_DIR, BANK_ACCOUNT }).BANK_ACCOUNT
  expect(taken('NO93 8601 1117 947')).toBe('NO9386011117947')
  expect(taken('8601.11.17947')).toBe('86011117947')
})
