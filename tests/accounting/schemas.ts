// Validates files against the published schemas with xmllint. The schemas are ISO's, the European
// Payments Council's and Skatteetaten's, and give no licence to copy them: they are looked for
// beside the repository, or where XSD_DIR says.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, test } from 'vitest'

export const schemas = {
  pain001: 'pain.001.001.09.xsd',
  sepa: 'pain.001.001.09-epc132-08-2023.xsd',
  pain002: 'pain.002.001.11.xsd',
  camt053: 'camt.053.001.08.xsd',
  camt054: 'camt.054.001.08.xsd',
  saft: 'Norwegian_SAF-T_Financial_Schema_v_1.30.xsd',
} as const

type Schema = keyof typeof schemas

const besides = ['../../../shared/xsd', '../../../../shared/xsd']
const places = [
  ...(process.env['XSD_DIR'] === undefined ? [] : [process.env['XSD_DIR']]),
  ...besides.map((place) => fileURLToPath(new URL(place, import.meta.url))),
]
const found = places.find((place) =>
  Object.values(schemas).every((name) => existsSync(join(place, name))),
)

/** Why nothing can be validated here; undefined if it can. */
export const whyNot = spawnSync('xmllint', ['--version']).error
  ? 'xmllint is not installed (apt-get install libxml2-utils)'
  : found === undefined
    ? `the schemas are not there: put ${Object.values(schemas).join(', ')} into a folder XSD_DIR`
    : undefined

/** Runs if files can be validated; otherwise the title says why it is skipped. */
export const testValid = (title: string, body: () => void | Promise<void>, ms?: number): void => {
  const told = whyNot === undefined ? title : `${title}: skipped, ${whyNot}`
  test.skipIf(whyNot !== undefined)(told, body, ms)
}

/** For a test file: writes files of one schema, and validates all in one run. */
export const validator = () => {
  const folder = mkdtempSync(join(tmpdir(), 'daybook-xsd-'))
  afterAll(() => rmSync(folder, { recursive: true }))
  let files = 0
  return (schema: Schema, texts: readonly string[]): readonly string[] => {
    if (texts.length === 0) return []
    const names = texts.map((text) => {
      const name = join(folder, `${(files += 1)}.xml`)
      writeFileSync(name, text)
      return name
    })
    const words = ['--noout', '--nonet', '--schema', join(found ?? '', schemas[schema]), ...names]
    const { stderr, status } = spawnSync('xmllint', words, { encoding: 'utf8', maxBuffer: 1e8 })
    for (const name of names) rmSync(name)
    if (status === 0) return []
    return stderr.split('\n').filter((line) => line !== '' && !line.endsWith(' validates'))
  }
}
