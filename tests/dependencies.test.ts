import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { z } from 'zod'

const lock = z
  .object({
    packages: z.record(
      z.string(),
      z.object({
        license: z.string().optional(),
        dev: z.boolean().default(false),
        resolved: z.string().optional(),
        integrity: z.string().optional(),
        inBundle: z.boolean().default(false),
      }),
    ),
  })
  .parse(JSON.parse(readFileSync('package-lock.json', 'utf8')))

const packages = Object.entries(lock.packages).filter(([path]) => path !== '')

/** Licences that permit use, modification and distribution of derived works. */
const permissive: ReadonlySet<string> = new Set([
  ...[
    'MIT',
    'MIT-0',
    'ISC',
    'Apache-2.0',
    'BSD-2-Clause',
    'BSD-3-Clause',
    '0BSD',
    'Python-2.0',
    'PSF-2.0',
    'Unlicense',
  ],
  ...['BlueOak-1.0.0', 'CC0-1.0'],
  // Requires attribution, given in docs/architecture.md: holiday calendars.
  'CC-BY-3.0',
])
/** Licences of tools that are not distributed. */
const ofTools: ReadonlySet<string> = new Set(['MPL-2.0', 'CC-BY-4.0'])

/** The S3 test server: MIT, but stated only in the readme or an older field. */
const saidElsewhere: ReadonlySet<string> = new Set(
  ['busboy', 'humanize-number', 'only', 'streamsearch'].map((name) => `node_modules/${name}`),
)

/** SPDX: any one with `or`, all of them with `and`. */
const allows = (licence: string, allowed: ReadonlySet<string>): boolean =>
  licence
    .replaceAll(/[()]/g, '')
    .split(/ or /i)
    .some((choice) => choice.split(/ and /i).every((one) => allowed.has(one)))

test('every dependency has a licence that the service may be handed on with', () => {
  const unexpected = packages
    .filter(([path, { dev }]) => !(dev && saidElsewhere.has(path)))
    .filter(([, { license = 'none', dev }]) => {
      const allowed = dev ? new Set([...permissive, ...ofTools]) : permissive
      return !allows(license, allowed)
    })
    .map(([path, { license }]) => `${path}: ${license ?? 'none'}`)
  expect(packages.length).toBeGreaterThan(100)
  expect(unexpected).toEqual([])
})

test('every dependency is of the registry, none of another address, and has a checksum', () => {
  const elsewhere = packages
    .filter(([, { inBundle }]) => !inBundle)
    .filter(
      ([, { resolved = '', integrity = '' }]) =>
        !(resolved === '' || resolved.startsWith('https://registry.npmjs.org/')) ||
        !integrity.startsWith('sha512-'),
    )
    .map(([path]) => path)
  expect(elsewhere).toEqual([])
})
