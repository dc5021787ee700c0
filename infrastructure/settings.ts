import { z } from 'zod'

const flag = z.enum(['true', 'false']).transform((text) => text === 'true')
const token = /^[A-Za-z][A-Za-z0-9-]*$/

/** Every setting of the environment: its check, its default and what it means (decisions 14). */
const settings = {
  HOST: [z.string().min(1).default('127.0.0.1'), 'Address to listen on.'],
  PORT: [
    z.coerce.number().int().min(0).max(65_535).default(8080),
    'Port to listen on; 0 picks a free one.',
  ],
  PUBLIC_URL: [
    z
      .url({ protocol: /^https?$/ })
      .transform((url) => url.replace(/\/+$/, ''))
      .optional(),
    'Base of full URLs and of the signing string, as clients see it; default: the listening address.',
  ],
  DATA_DIR: [z.string().min(1).default('./data'), 'Folder of events, read models and keys.'],
  VAULT: [
    z.string().min(1).optional(),
    'File of the keys that personal data is sealed with, shared by all nodes; default: in DATA_DIR.',
  ],
  EVENT_STORE: [
    z
      .string()
      .regex(/^(sqlite|(esdb|kurrentdb)(\+discover)?:\/\/.+)$/)
      .default('sqlite'),
    'sqlite (embedded), or an esdb:// or kurrentdb:// connection string.',
  ],
  MODE: [
    z.enum(['sandbox', 'production']).default('sandbox'),
    'sandbox, or production: no sandbox routes or data, private callback addresses refused.',
  ],
  HEADER_PREFIX: [z.string().regex(token).default('X-Service'), 'Prefix of the header names.'],
  MEDIA_VENDOR: [z.string().regex(token).default('service'), 'Vendor part of the media types.'],
  ABSOLUTE_URIS: [flag.default(false), 'true writes full URLs inside JSON bodies.'],
  CLOCK_TOLERANCE_SECONDS: [
    z.coerce.number().int().min(1).max(86_400).default(300),
    'How far the timestamp of a signed request may be off.',
  ],
  PRIVATE_CALLBACKS: [
    z.enum(['allow', 'refuse']).optional(),
    'Callbacks to loopback, private and link-local addresses: allow (default in the sandbox) or refuse.',
  ],
  BANK_ACCOUNT: [
    z.string().min(1).max(34).optional(),
    'The account that payouts are paid from: IBAN, or a national number. Needed for payout files.',
  ],
  BANK_ACCOUNT_NAME: [
    z.string().min(1).max(140).default('daybook'),
    'The holder of that account, as the bank knows it.',
  ],
  BANK_BIC: [
    z
      .string()
      .regex(/^[A-Z0-9]{4}[A-Z]{2}[A-Z0-9]{2}([A-Z0-9]{3})?$/)
      .optional(),
    'BIC of the bank of that account.',
  ],
  LOG_LEVEL: [
    z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
    'Least severe level that is logged.',
  ],
} as const satisfies Record<string, readonly [z.ZodType, string]>

type Name = keyof typeof settings

export type Settings = { readonly [N in Name]: z.output<(typeof settings)[N][0]> }

/** The environment has a setting that cannot be; the message names each. */
export class WrongSettings extends Error {
  override readonly name = 'WrongSettings'
}

/** A setting as it was given, without the password that a connection string may hold. */
export const settingShown = (name: Name, given: string | number | undefined): string =>
  `${name}=${JSON.stringify(String(given).replace(/\/\/[^/@]*@/, '//…@'))}`

/** @throws WrongSettings */
export const readSettings = (
  environment: Readonly<Record<string, string | undefined>>,
): Settings => {
  const read: Record<string, unknown> = {}
  const problems: string[] = []
  for (const [name, [schema]] of Object.entries(settings) as [Name, (typeof settings)[Name]][]) {
    const given = environment[name]
    const result = schema.safeParse(given === '' ? undefined : given)
    if (result.success) read[name] = result.data
    else
      problems.push(
        `${settingShown(name, given)}: ${result.error.issues.map(({ message }) => message).join('; ')}`,
      )
  }
  if (problems.length > 0) throw new WrongSettings(problems.join('\n'))
  return read as Settings
}

/** The settings as `daybook --help` lists them. */
export const settingsHelp = (): string => {
  const lines = Object.entries(settings).map(([name, [schema, meaning]]) => {
    const preset = (schema as z.ZodType).safeParse(undefined).data
    const shown = preset === undefined ? '' : ` (default: ${String(preset)})`
    return `  ${name.padEnd(24)} ${meaning}${shown}`
  })
  return ['Settings, from the environment:', ...lines].join('\n')
}
