// Long because it lists every setting, with what derives from the list.
import { z } from 'zod'
import { readTimeZone } from '../domain/time-zone.ts'
import { readAccount } from './bank/payout-account.ts'
import { isCountry } from './national-numbers.ts'
import {
  amounts,
  text,
  anything,
  choice,
  contact,
  flag,
  mailUrl,
  wholeNumber,
  brand,
  publicUrl,
  baseUrl,
  blobPlace,
  pageUrl,
  list,
  networks,
  certificates,
  bankProfile,
  witnesses,
} from './setting-checks.ts'

/** Variables of Node, OpenTelemetry, HashiCorp Vault and Kubernetes that begin as ours do. */
const ofOthers = new RegExp(
  [
    '^NODE_',
    '^OTEL_',
    '^VAULT_(?:ADDR|AGENT_ADDR|CACERT|CAPATH|CLIENT_CERT|CLIENT_KEY|FORMAT)$',
    '^VAULT_(?:NAMESPACE|ROLE|SKIP_VERIFY|TLS_SERVER_NAME|TOKEN)$',
    '_SERVICE_(?:HOST|PORT)',
    '_PORT_\\d+_(?:TCP|UDP)',
  ].join('|'),
)

const plain = (name: string): string => name.toUpperCase().replaceAll(/[^A-Z0-9]/g, '')

/** How many letters to add, remove or replace (Levenshtein). */
const distance = (one: string, other: string): number => {
  let above = Array.from({ length: other.length + 1 }, (_, at) => at)
  for (let row = 0; row < one.length; row += 1) {
    const line = [row + 1]
    for (let at = 0; at < other.length; at += 1) {
      const replaced = above[at]! + (one[row] === other[at] ? 0 : 1)
      line.push(Math.min(line[at]! + 1, above[at + 1]! + 1, replaced))
    }
    above = line
  }
  return above.at(-1) ?? 0
}

/** Short names are near too many others: npm sets NODE, which is one letter from MODE. */
const allowedDistance = (name: string): number => (name.length >= 8 ? 2 : name.length >= 5 ? 1 : 0)

/** Without endings of words: TRUST_PROXY is TRUSTED_PROXIES, MODES is MODE. */
const stem = (name: string): string => name.toUpperCase().replaceAll(/(IES|Y|S|ED)(?=_|$)/g, '')

const firstWord = (name: string): string | undefined => /^[A-Z0-9]+_/.exec(name)?.[0]

/** The setting that a variable of the environment seems to mean. */
const settingMeant = (variable: string, names: readonly string[]): string | undefined => {
  const letters = plain(variable)
  const [nearest] = names
    // No other can be near: npm alone sets a hundred variables, and each start looks at all.
    .filter((name) => Math.abs(name.replaceAll('_', '').length - letters.length) <= 2)
    .map((name) => ({ name, far: distance(letters, plain(name)) }))
    .toSorted((one, other) => one.far - other.far)
  if (nearest && nearest.far <= allowedDistance(plain(nearest.name))) return nearest.name
  if (ofOthers.test(variable)) return undefined
  const begun = firstWord(variable)
  const same = names.find((name) => stem(name) === stem(variable))
  if (begun === undefined || same !== undefined) return same
  const alike = names.filter((name) => name.startsWith(begun))
  const longer = alike.find((name) => name.startsWith(`${variable}_`))
  if (longer !== undefined) return longer
  return alike.toSorted((one, other) => distance(variable, one) - distance(variable, other))[0]
}

/** Variables that are no settings, but whose names are near those of settings or begin alike. */
const unknownSettings = (
  environment: Readonly<Record<string, string | undefined>>,
  names: readonly string[],
): readonly string[] => {
  const known = new Set(names)
  return Object.entries(environment).flatMap(([name, value]) => {
    if (known.has(name) || value === undefined || value === '') return []
    const meant = settingMeant(name, names)
    return meant === undefined ? [] : `${name}: is no setting; did you mean ${meant}?`
  })
}

/** Every setting: check, default and meaning (interface 14). */
const settings = {
  HOST: [anything.default('127.0.0.1'), 'Address to listen on.'],
  PORT: [wholeNumber(0, 65_535).default(8080), 'Port to listen on; 0 picks a free one.'],
  METRICS_HOST: [anything.default('127.0.0.1'), 'Address of /metrics in production.'],
  METRICS_PORT: [
    wholeNumber(0, 65_535).default(9464),
    'Port of /metrics in production; 0 picks a free one. In the sandbox /metrics is on PORT.',
  ],
  DRAIN_SECONDS: [
    wholeNumber(0, 3_600).default(0),
    'How long a process that is told to stop still answers while it is no longer ready, so that ' +
      'a proxy which asks /health/ready sends requests to others first.',
  ],
  PUBLIC_URL: [
    publicUrl.optional(),
    'Base of full URLs and of the signing string, as clients see it, without a path; in ' +
      'production with https; default in the sandbox: the listening address, and for ' +
      'signatures http with the Host header.',
  ],
  TRUSTED_PROXIES: [
    networks.default([]),
    'Addresses or networks of proxies whose X-Forwarded-For or Forwarded is trusted, with commas.',
  ],
  DATA_DIR: [anything.default('./data'), 'Folder of events, read models and keys.'],
  VAULT: [
    anything.optional(),
    'File of the keys that personal data is sealed with, shared by all nodes, or streams: ' +
      'in streams of EVENT_STORE, without a file; default: in DATA_DIR.',
  ],
  VAULT_KEY_FILE: [
    anything.optional(),
    'File of the key that wraps the vault: 32 bytes as base64 or hexadecimal; ' +
      'further keys, one a line, may open it; none: the vault lies in the clear. ' +
      'Production needs this setting or VAULT_KEY_COMMAND.',
  ],
  VAULT_KEY_COMMAND: [
    anything.optional(),
    'Command of the shell that prints that key instead: for a KMS, age or a hardware key.',
  ],
  BLOBS: [
    blobPlace.optional(),
    'Folder of attachments and logos, shared by all nodes, or s3://<bucket>/<prefix>; ' +
      'default: in DATA_DIR.',
  ],
  S3_ENDPOINT: [
    baseUrl.optional(),
    'Address of the S3-compatible store of BLOBS; default: that of Amazon for S3_REGION.',
  ],
  S3_REGION: [anything.default('us-east-1'), 'Region of the bucket of BLOBS.'],
  S3_ACCESS_KEY_ID: [anything.optional(), 'Access key of the bucket of BLOBS.'],
  S3_SECRET_ACCESS_KEY: [anything.optional(), 'Secret of that access key.'],
  AS_OF_SPACE_MB: [
    wholeNumber(1, 9_999_999).default(2_000),
    'Space in DATA_DIR for read models of earlier moments, in megabytes; one fits in any case.',
  ],
  EVENT_STORE: [
    text(
      'must be sqlite, or a connection string that begins with esdb:// or kurrentdb://',
      (value) => /^(sqlite|(esdb|kurrentdb)(\+discover)?:\/\/.+)$/.test(value),
    ).default('sqlite'),
    'sqlite (embedded), or an esdb:// or kurrentdb:// connection string.',
  ],
  SNAPSHOT_TOKEN: [
    text('must have at least 16 characters', (value) => value.length >= 16).optional(),
    'Token with which other nodes fetch the read models of this one, and this one theirs.',
  ],
  SNAPSHOT_FROM: [
    publicUrl.optional(),
    'Node whose read models a node without any fetches: http://METRICS_HOST:METRICS_PORT of it.',
  ],
  MODE: [
    choice('sandbox', 'production').default('sandbox'),
    'sandbox, or production: no sandbox routes or data, private callback addresses refused.',
  ],
  TWIN_URL: [
    publicUrl.optional(),
    'PUBLIC_URL of your other daybook: in production that of a sandbox, where staff find a twin ' +
      'of their merchant; in that sandbox that of production. Both need TWIN_SECRET.',
  ],
  TWIN_SECRET: [
    text('must have at least 32 characters', (value) => value.length >= 32).optional(),
    'Secret that production signs with whom it sends to the sandbox; the same in both.',
  ],
  HEADER_PREFIX: [brand.default('X-Service'), 'Prefix of the header names.'],
  MEDIA_VENDOR: [brand.default('service'), 'Vendor part of the media types.'],
  ABSOLUTE_URIS: [flag.default(false), 'true writes full URLs inside JSON bodies.'],
  CLOCK_TOLERANCE_SECONDS: [
    wholeNumber(1, 86_400).default(300),
    'How far the timestamp of a signed request may differ from the clock.',
  ],
  METRICS_MERCHANTS: [
    list(50).default([]),
    'Ids of up to 50 merchants, separated by commas, whose payments and callbacks have metrics ' +
      'of their own.',
  ],
  PRIVATE_CALLBACKS: [
    choice('allow', 'refuse').optional(),
    'Sending callbacks to loopback, private and link-local addresses: ' +
      'allow (default in the sandbox) or refuse.',
  ],
  MESSAGE_URL: [
    pageUrl.optional(),
    'Address of your gateway for text messages, which takes a signed POST of {to, text}. ' +
      'In production nobody can prove a phone number without it.',
  ],
  MAIL_URL: [
    mailUrl.optional(),
    'Where mails go: your mail server, as smtps://user:password@host or smtp://host:587 ' +
      '(in production with STARTTLS, unless ?requireTLS=false), or a gateway of yours, which ' +
      'takes a signed POST of {to, subject, text}. Without it nobody can choose mails.',
  ],
  MAIL_FROM: [
    text('must be an e-mail address', (value) => z.email().safeParse(value).success).optional(),
    'Sender of mails to a mail server; default: no-reply at the host of PUBLIC_URL.',
  ],
  MESSAGES_PER_HOUR: [
    wholeNumber(1, 9_999_999).default(1_000),
    'Text messages that strangers can ask for in an hour, of each process, and half as many to ' +
      'one country; the log and the security log tell when they are used up.',
  ],
  STEP_UP_AMOUNT: [
    amounts.optional(),
    'As NOK 5000, EUR 500: above, payers give a code again; what one accepts within 24 hours ' +
      'counts together.',
  ],
  REFUND_STEP_UP_AMOUNT: [
    amounts.optional(),
    'As NOK 5000: above, staff give a code again for refunds, those of one payment or of one ' +
      'person within 24 hours together; 1,000 in other currencies.',
  ],
  CALLBACK_CA_FILE: [
    certificates.optional(),
    'PEM file of further certificate authorities to trust when sending callbacks.',
  ],
  PUSHER_KEY: [
    text('must be letters, digits and _ . ~ -, at most 128', (value) =>
      /^[\w.~-]{1,128}$/.test(value),
    ).optional(),
    'Application key of Pusher clients; default: daybook in the sandbox, else none is served.',
  ],
  PUSHER_SECRET: [
    text('must have at least 16 characters', (value) => value.length >= 16).optional(),
    'Secret that signs for private channels; default: derived from the vault, for all nodes.',
  ],
  // Node reads it too, but the list for callbacks replaces Node's.
  NODE_EXTRA_CA_CERTS: [
    certificates.optional(),
    'PEM file of further certificate authorities to trust in all connections.',
  ],
  BANK_ACCOUNT: [
    text(
      'must be an IBAN as its country writes them, or a national account number',
      (value) => readAccount(value) !== undefined,
    )
      .transform((value) => readAccount(value) ?? value)
      .optional(),
    'The account that payouts are paid from: IBAN, or a national number. Needed for payout files.',
  ],
  COUNTRY: [
    text('must be two capital letters of ISO 3166-1, such as NO', isCountry).default('NO'),
    'Country whose national numbers people type: of phones, accounts and businesses.',
  ],
  BANK_ACCOUNT_NAME: [
    text('must have at most 140 characters', (value) => value.length <= 140).default('daybook'),
    'The holder of that account, as the bank knows it.',
  ],
  BANK_BIC: [
    text('must be a BIC, 8 or 11 capital letters and digits such as DNBANOKK', (value) =>
      /^[A-Z0-9]{4}[A-Z]{2}[A-Z0-9]{2}([A-Z0-9]{3})?$/.test(value),
    ).optional(),
    'BIC of the bank of that account.',
  ],
  BANK_PROFILE: [
    bankProfile.optional(),
    'JSON file of the fields that the bank wants in payout files (Settlements, below); ' +
      'default: those of SEPA and of Nordic banks.',
  ],
  BANK_TIME_ZONE: [
    text('must be a time zone such as Europe/Oslo', (value) => readTimeZone(value) !== undefined)
      .transform((value) => readTimeZone(value) ?? value)
      .optional(),
    "The bank's time zone, for the days of payout files; default: that of the account's country.",
  ],
  TRANSPARENCY_ORIGIN: [
    text('must be a name without blanks, + and line breaks', (value) =>
      /^[^\s+]{1,200}$/.test(value),
    ).optional(),
    'Name of the log in its checkpoints; default: PUBLIC_URL without https://, then /transparency.',
  ],
  WITNESSES: [
    witnesses.default([]),
    'Witnesses that checkpoints are posted to, separated by commas: address, blank, verifier key.',
  ],
  AUDIT_EVERY_MINUTES: [
    wholeNumber(0, 525_600).default(1_440),
    'How often the service audits itself beside its requests, as audit verify does; 0: never.',
  ],
  MERCHANT_REQUESTS_PER_SECOND: [
    wholeNumber(1, 999_999).optional(),
    'Requests a second of a merchant, ten times as many at once; default: 2000 in production, ' +
      'no limit in the sandbox.',
  ],
  USER_REQUESTS_PER_SECOND: [
    wholeNumber(1, 999_999).optional(),
    'The same of a user or an integrator; default: 1000 in production, no limit in the sandbox.',
  ],
  SECURITY_LOG_DAYS: [
    wholeNumber(1, 3650).default(365),
    'How long files of the security log are kept, in days.',
  ],
  SECURITY_CONTACT: [
    contact.optional(),
    'Whom to tell of a weakness, for /.well-known/security.txt: mailto:, https: or tel:.',
  ],
  HELP_URL: [pageUrl.optional(), 'Page where payers get help, linked below each of their pages.'],
  TERMS_URL: [pageUrl.optional(), 'Page of the terms for payers, linked there too.'],
  PRIVACY_URL: [pageUrl.optional(), 'Page of the privacy notice for payers, linked there too.'],
  LOG_LEVEL: [
    choice('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent').default('info'),
    'Least severe level that is logged.',
  ],
  OTEL_EXPORTER_OTLP_ENDPOINT: [
    baseUrl.optional(),
    'Collector that traces are sent to, by OTLP over HTTP; none: nothing is recorded.',
  ],
  OTEL_SERVICE_NAME: [anything.default('daybook'), 'Name of the service in traces.'],
  OTEL_TRACES_SAMPLER: [
    choice(
      ...(['parentbased_always_on', 'parentbased_always_off', 'parentbased_traceidratio'] as const),
      ...(['always_on', 'always_off', 'traceidratio'] as const),
    ).default('parentbased_always_on'),
    'Which traces are recorded; parentbased_: as the caller does, if it sends a traceparent.',
  ],
  OTEL_TRACES_SAMPLER_ARG: [
    text('must be a number from 0 to 1', (value) => /^(?:0?\.\d{1,9}|[01](?:\.0*)?)$/.test(value))
      .transform(Number)
      .default(1),
    'Share of the traces that traceidratio records, such as 0.1.',
  ],
} as const satisfies Record<string, readonly [z.ZodType, string]>

type Name = keyof typeof settings

export type Settings = { readonly [N in Name]: z.output<(typeof settings)[N][0]> }

/** The message names each wrong setting. */
export class WrongSettings extends Error {
  override readonly name = 'WrongSettings'
}

/** The setting as given, with the password of a connection string hidden. */
export const printSetting = (name: Name, value: string | number | undefined): string =>
  `${name}=${JSON.stringify(String(value).replace(/\/\/.*@/, '//…@'))}`

/** The value of VAULT that is not a file. */
export const vaultInStreams = 'streams'

/** The value of VAULT_KEY_FILE that says that the vault lies in the clear. */
export const noVaultKey = 'none'

type SomeSettings = Partial<Settings>

const problemsOfVault = (some: SomeSettings): readonly string[] => {
  const { VAULT, EVENT_STORE, MODE, VAULT_KEY_FILE, VAULT_KEY_COMMAND } = some
  const hasKey = VAULT_KEY_COMMAND !== undefined || (VAULT_KEY_FILE ?? noVaultKey) !== noVaultKey
  const printed = printSetting('VAULT', VAULT)
  if (VAULT === vaultInStreams)
    return [
      ...(EVENT_STORE === 'sqlite'
        ? [`${printed}: needs EVENT_STORE with an esdb:// or kurrentdb:// connection string`]
        : []),
      ...(hasKey
        ? []
        : [`${printed}: needs VAULT_KEY_FILE or VAULT_KEY_COMMAND, to wrap its keys`]),
    ]
  if (MODE !== 'production' || hasKey || VAULT_KEY_FILE !== undefined) return []
  return [
    `${printSetting('MODE', MODE)}: needs VAULT_KEY_FILE or VAULT_KEY_COMMAND, to wrap the keys ` +
      `in the vault; VAULT_KEY_FILE=${noVaultKey} leaves them in the clear`,
  ]
}

const problemsOfAddress = ({ MODE, PUBLIC_URL }: SomeSettings): readonly string[] => {
  if (MODE !== 'production' || PUBLIC_URL?.startsWith('https:')) return []
  const printed =
    PUBLIC_URL === undefined ? printSetting('MODE', MODE) : printSetting('PUBLIC_URL', PUBLIC_URL)
  return [`${printed}: needs PUBLIC_URL with https, as payers sign in over https only`]
}

const problemsOfTwin = ({ TWIN_URL, TWIN_SECRET }: SomeSettings): readonly string[] =>
  TWIN_URL !== undefined && TWIN_SECRET === undefined
    ? [`${printSetting('TWIN_URL', TWIN_URL)}: needs TWIN_SECRET`]
    : []

/** @throws WrongSettings */
export const readSettings = (
  environment: Readonly<Record<string, string | undefined>>,
): Settings => {
  const read: Record<string, unknown> = {}
  const problems: string[] = []
  for (const [name, [schema]] of Object.entries(settings) as [Name, (typeof settings)[Name]][]) {
    const value = environment[name]
    const result = schema.safeParse(value === '' ? undefined : value)
    if (result.success) read[name] = result.data
    else {
      const why = result.error.issues.map(({ message }) => message).join('; ')
      problems.push(`${printSetting(name, value)}: ${why}`)
    }
  }
  problems.push(
    ...problemsOfVault(read),
    ...problemsOfTwin(read),
    // A wrong address has been told.
    ...(problems.some((text) => text.startsWith('PUBLIC_URL')) ? [] : problemsOfAddress(read)),
    ...unknownSettings(environment, Object.keys(settings)),
  )
  if (problems.length > 0) throw new WrongSettings(problems.join('\n'))
  return read as Settings
}

/** Name, default (empty for none) and meaning of each setting. */
export const listedSettings = () =>
  Object.entries(settings).map(([name, [schema, meaning]]) => ({
    name,
    preset: String((schema as z.ZodType).safeParse(undefined).data ?? ''),
    meaning,
  }))

export const settingsHelp = (): string => {
  const lines = listedSettings().map(({ name, preset, meaning }) => {
    const suffix = preset === '' ? '' : ` (default: ${preset})`
    return `  ${name.padEnd(24)} ${meaning}${suffix}`
  })
  return ['Settings, from the environment:', ...lines].join('\n')
}
