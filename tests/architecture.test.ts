import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { describe, expect, test } from 'vitest'
import { spreadsIn } from './architecture/spreads.ts'

const below = ['domain', 'application', 'projections', 'infrastructure']

/** The rooms that each room may import. */
const table: Readonly<Record<string, readonly string[]>> = {
  domain: ['domain'],
  application: ['domain', 'application'],
  projections: ['domain', 'projections'],
  texts: ['texts'],
  audit: [...below, 'texts', 'audit'],
  infrastructure: below,
  http: ['domain', 'application', 'projections', 'texts', 'audit', 'http'],
  web: ['domain', 'application', 'projections', 'texts', 'audit', 'http', 'web'],
  cli: [...below, 'texts', 'audit', 'http', 'service', 'cli'],
  service: [...below, 'texts', 'audit', 'http', 'web', 'service', 'cli'],
  client: ['client'],
}
/** Packages of rooms that take no others. */
const packages: Readonly<Record<string, readonly string[]>> = {
  domain: ['zod'],
  application: [],
  projections: ['drizzle-orm'],
  texts: ['intl-messageformat'],
  http: ['hono', 'zod'],
  web: ['hono', 'zod', 'd3-scale'],
  client: ['node:crypto', 'node:timers'],
}
const folders = Object.keys(table)
/** Imported by no room. */
const closed = ['tests', 'bench', 'demo', 'harness', 'simulation']
const main = 'service/main.ts'
const server = 'service/server.ts'
const sqlite = 'infrastructure/sqlite.ts'
/** Only one file decides which release is loaded. */
const sqliteItself = /^import (?!type )[^']*'better-sqlite3(?:-13)?'/gm

/** Non-deterministic calls that pure code must not make. */
const impure = /\b(?:Date\.now|new Date\(\)|Math\.random|performance\.\w|crypto\.\w|setTimeout)/g
/** Only these may use clocks, timers and randomness of the machine itself (`Machine`). */
const machines = ['application/machine.ts', 'infrastructure/keys/slow-crypto.ts']
/** Not run by the simulator, so they still use the machine itself. */
const notYetSimulated = ['cli/', 'infrastructure/callbacks/post.ts']
const ofMachine = new RegExp(
  [
    String.raw`\bDate\.now|\bnew Date\(\)|\bMath\.random|\bperformance\.now|\bprocess\.hrtime`,
    String.raw`(?<![-.:])\bcrypto\.\w|\bAbortSignal\.timeout|from 'node:timers[^']*'`,
    String.raw`import \{[^}]*\b(?:random\w+|generateKey\w*)\b[^}]*\} from 'node:crypto'`,
    String.raw`from '@node-rs/argon2'`,
  ].join('|'),
  'g',
)
const timers = /(?<![.\w]|typeof )(?:set|clear)(?:Timeout|Interval|Immediate)(?=\()/g
const importedOf = /import \{([^}]*)\} from '[./]*(?:application\/)?machine\.ts'/

/** Uses of the machine that go round `Machine`, so that the simulator would not own them. */
const machineUses = (file: string, source: string): string[] => {
  if (machines.includes(file) || notYetSimulated.some((room) => file.startsWith(room))) return []
  const code = source.replaceAll(/\/\*\*?[\s\S]*?\*\/|(?<!:)\/\/.*/g, '')
  const imported = (importedOf.exec(code)?.[1] ?? '').split(',').map((name) => name.trim())
  const free = (code.match(timers) ?? []).filter((name) => !imported.includes(name))
  return [...(code.match(ofMachine) ?? []), ...free]
}

const environment = /\bprocess\.env\b/g

/** Our top folder, or the package, that an import refers to. */
const targetOf = (file: string, specifier: string): string => {
  const path = specifier.startsWith('.') ? posix.join(posix.dirname(file), specifier) : specifier
  return path.startsWith('@') ? path.split('/', 2).join('/') : (path.split('/')[0] ?? path)
}

const mayImport = (file: string, target: string): boolean => {
  const room = file.split('/')[0] ?? ''
  const isRoom = target in table || closed.includes(target)
  if (isRoom) return table[room]?.includes(target) ?? false
  return packages[room]?.includes(target) ?? true
}

/** Imports and expressions in a source that its folder does not allow. */
const trespasses = (file: string, source: string): string[] => {
  const specifiers = source.matchAll(/(?:\bfrom|\bimport)\s*\(?\s*['"`]([^'"`]+)['"`]/g)
  const targets = [...specifiers].map(([, specifier = '']) => targetOf(file, specifier))
  const isPure = file.startsWith('domain/') || file.startsWith('projections/')
  return [
    ...targets.filter((target) => !mayImport(file, target)),
    ...(file === main ? [] : (source.match(environment) ?? [])),
    ...(file === sqlite ? [] : (source.match(sqliteItself) ?? [])),
    ...(isPure ? (source.match(impure) ?? []) : []),
  ]
}

const root = posix.join(import.meta.dirname, '..')
const sourcesOf = (folder: string): string[] =>
  readdirSync(posix.join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => `${folder}/${name}`)

describe.each(folders)('%s', (folder) => {
  const files = sourcesOf(folder)

  test('holds sources, or this test would look at nothing', () => {
    expect(files.length).toBeGreaterThan(2)
  })

  test.each(files)('%s imports only what its folder may, and stays within its means', (file) => {
    expect(trespasses(file, readFileSync(posix.join(root, file), 'utf8'))).toEqual([])
  })
})

/** What runs the service for others, and what may import of the tests until it has moved. */
const houses = ['simulation', 'harness', 'demo', 'bench']
const ofTests = [
  'harness/service-process.ts',
  ...['pages', 'budget', 'upgrade'].map((name) => `bench/${name}.ts`),
]

describe('tests', () => {
  const fromTests = /(?:\bfrom|\bimport)\s*\(?\s*['"`](?:\.\.\/)+tests\//
  const importing = houses
    .flatMap(sourcesOf)
    .filter((file) => fromTests.test(readFileSync(posix.join(root, file), 'utf8')))

  test('are imported by nothing else, but for what is listed', () => {
    expect(importing.toSorted()).toEqual(ofTests.toSorted())
  })
})

describe('clocks, timers and randomness', () => {
  const ports = sourcesOf('application').concat(
    ...['audit', 'infrastructure', 'service', 'http', 'web'].map(sourcesOf),
  )

  test('come from the machine that the simulator can replace', () => {
    const found = ports.map((file) => {
      const uses = machineUses(file, readFileSync(posix.join(root, file), 'utf8'))
      return uses.length === 0 ? '' : `${file}: ${uses.join(' ')}`
    })
    expect(found.filter((one) => one !== '')).toEqual([])
    process.stdout.write(`not simulated yet: ${notYetSimulated.join(', ')}\n`)
  })

  test('are replaced by the simulator alone', () => {
    const replacing = /\binstall(?:Machine|SlowCrypto)\b/
    const found = ports.filter((file) =>
      replacing.test(readFileSync(posix.join(root, file), 'utf8')),
    )
    expect(found).toEqual(machines)
  })

  test.each([
    ['const at = Date.now()', 'Date.now'],
    ["import { createHash, randomBytes } from 'node:crypto'", 'randomBytes'],
    ["import { setTimeout as pause } from 'node:timers/promises'", 'node:timers'],
    ['setTimeout(work, 5)', 'setTimeout'],
    ["import { setTimeout } from './machine.ts'\nclearTimeout(timer)", 'clearTimeout'],
    ['const signal = AbortSignal.timeout(5)', 'AbortSignal.timeout'],
  ])('would not pass with: %s', (source, found) => {
    expect(machineUses('application/given.ts', source).join()).toContain(found)
  })

  test.each([
    "import { setTimeout } from './machine.ts'\nsetTimeout(work, 5)",
    'socket.setTimeout(5)',
    '/** Like Date.now(). */',
    "import { createHash } from 'node:crypto'",
  ])('pass with: %s', (source) => {
    expect(machineUses('application/given.ts', source)).toEqual([])
  })
})

/** All sources and packages loaded statically with a file. */
const loadedWith = (file: string, loaded = new Set<string>()): ReadonlySet<string> => {
  if (loaded.has(file)) return loaded
  loaded.add(file)
  const source = readFileSync(posix.join(root, file), 'utf8')
  const statements = source.matchAll(/^(?:import|export)\s(?!type\s)[^'()=]*?'([^']+)'/gm)
  for (const [, specifier = ''] of statements) {
    if (specifier.startsWith('.')) loadedWith(posix.join(posix.dirname(file), specifier), loaded)
    else loaded.add(targetOf(file, specifier))
  }
  return loaded
}

describe('what few need', () => {
  const client = '@eventstore/db-client'
  const traces = ['@opentelemetry/api', '@opentelemetry/resources']
  test.each([
    ['cli/run-command.ts', [server, client, 'hono', 'prom-client', 'xmlbuilder2']],
    [
      server,
      [client, ...traces, 'xmlbuilder2', 'commander', 'prom-client', 'qrcode', 'undici', 'ws'],
    ],
    ['infrastructure/read-models/folding-worker.ts', [client, ...traces, 'hono', 'prom-client']],
    ['infrastructure/event-store/commit-worker.ts', [client, 'zod', 'drizzle-orm']],
  ])('is not loaded with %s: %s', (file, few) => {
    const loaded = loadedWith(file)
    // Otherwise the walk would have found nothing.
    expect(loaded).toContain('infrastructure/sqlite.ts')
    expect(few.filter((name) => loaded.has(name))).toEqual([])
  })

  test('is loaded with what needs it', () => {
    expect(loadedWith('infrastructure/traces/span-job.ts')).toContain('@opentelemetry/api')
    expect(loadedWith('infrastructure/event-store/eventstoredb-event-store.ts')).toContain(client)
    expect(loadedWith('service/metrics/metrics-registry.ts')).toContain('prom-client')
  })
})

describe('a composition root', () => {
  const roots = [
    ...['core', 'answer', 'deliver', 'pages', 'server', 'as-of/reads-as-of'].map(
      (name) => `service/${name}.ts`,
    ),
    ...sourcesOf('service/features'),
  ]

  test.each(roots)('%s spreads no object into another', (file) => {
    const text = readFileSync(posix.join(root, file), 'utf8')
    expect(spreadsIn({ file, text })).toEqual([])
  })

  test.each([
    ['const a = { ...core, b }', '...core'],
    ['f({ ...{ a, b } })', '...{ a, b }'],
    ['const { a, ...rest } = core', '...rest'],
    ['const f = ({ a, ...rest }: Core) => rest', '...rest'],
  ])('would not pass with: %s', (text, found) => {
    expect(spreadsIn({ file: 'a.ts', text })).toEqual([`a.ts ${found}`])
  })

  test('may spread lists', () => {
    const text = 'const f = (...a: number[]) => g([...a], ...a)'
    expect(spreadsIn({ file: 'a.ts', text })).toEqual([])
  })
})

describe('the check itself', () => {
  test.each([
    ['domain/payment/payment.ts', `import { hash } from 'node:crypto'`, 'node:crypto'],
    [
      'domain/payment/payment.ts',
      `import { handle } from '../../application/handle.ts'`,
      'application',
    ],
    ['domain/payment/payment.ts', `const at = Date.now()`, 'Date.now'],
    ['application/handle.ts', `import { z } from 'zod'`, 'zod'],
    [
      'application/handle.ts',
      `import {\n  a,\n  b,\n} from '../projections/read-models.ts'`,
      'projections',
    ],
    ['projections/read-models.ts', `export * from '../application/handle.ts'`, 'application'],
    ['projections/read-models.ts', `import { eq } from "better-sqlite3"`, 'better-sqlite3'],
    ['http/app.ts', `import '../infrastructure/logs/log.ts'`, 'infrastructure'],
    ['http/app.ts', `import { serve } from '@hono/node-server'`, '@hono/node-server'],
    [
      'http/merchant/pos.ts',
      `import { log } from '../../infrastructure/logs/log.ts'`,
      'infrastructure',
    ],
    ['infrastructure/stores.ts', `import { makeApp } from '../http/app.ts'`, 'http'],
    ['infrastructure/stores.ts', `const app = await import('../http/app.ts')`, 'http'],
    ['infrastructure/stores.ts', `import { openCore } from '../service/core.ts'`, 'service'],
    ['infrastructure/stores.ts', `import { check } from '../audit/explain/check.ts'`, 'audit'],
    ['application/handle.ts', `import { check } from '../audit/explain/check.ts'`, 'audit'],
    ['audit/explain/check.ts', `import type { Core } from '../../service/core.ts'`, 'service'],
    ['audit/explain/check.ts', `import { route } from '../../http/route.ts'`, 'http'],
    ['http/app.ts', `import { pageReply } from '../web/ui/page.tsx'`, 'web'],
    ['web/ui/page.tsx', `import { log } from '../../infrastructure/logs/log.ts'`, 'infrastructure'],
    ['cli/users.ts', `import { pageReply } from '../web/ui/page.tsx'`, 'web'],
    ['service/core.ts', `const { PORT } = process.env`, 'process.env'],
    [
      'infrastructure/stores.ts',
      `import Database from 'better-sqlite3'`,
      `import Database from 'better-sqlite3'`,
    ],
    [
      'infrastructure/stores.ts',
      `import {\n  a,\n} from 'better-sqlite3-13'`,
      `import {\n  a,\n} from 'better-sqlite3-13'`,
    ],
    ['client/client.ts', `import { z } from 'zod'`, 'zod'],
    ['client/client.ts', `import type { Route } from '../http/route.ts'`, 'http'],
    [server, `import { Client } from '../client/index.ts'`, 'client'],
    [server, `const { PORT } = process.env`, 'process.env'],
    [server, `import { given } from '../tests/service.ts'`, 'tests'],
    [main, `import { load } from '../bench/load.ts'`, 'bench'],
    [server, `import { sign } from '../harness/signing.ts'`, 'harness'],
    [server, `import { openWorld } from '../simulation/world.ts'`, 'simulation'],
  ])('finds in %s: %s', (file, source, found) => {
    expect(trespasses(file, source)).toEqual([found])
  })

  test.each([
    [
      'domain/payment/payment.ts',
      `import { z } from 'zod'\nimport { refuse } from '../refusal.ts'`,
    ],
    ['projections/read-models.ts', `import { index } from 'drizzle-orm/sqlite-core'`],
    ['web/docs/page.tsx', `import { html } from 'hono/html'`],
    ['service/core.ts', `import { makeHandler } from '../application/handle.ts'`],
    ['cli/users.ts', `import { openCore } from '../service/core.ts'`],
    ['web/portal/page.tsx', `import { explain } from '../../audit/explain/explain.ts'`],
    ['infrastructure/stores.ts', `import type Database from 'better-sqlite3'`],
    [server, `import { makeApp } from '../http/app.ts'`],
    [main, `const { PORT } = process.env`],
  ])('finds nothing wrong in %s: %s', (file, source) => {
    expect(trespasses(file, source)).toEqual([])
  })
})

/** Files named in a line of the map; those without a folder belong to the folder in that line. */
const namedIn = (line: string): string[] => {
  const names = [...line.matchAll(/`([a-z-]+(?:\/[a-z-]+)*(?:\.tsx?)?)`/g)].map(
    ([, name = '']) => name,
  )
  const folder = names.find((name) => !/\.tsx?$/.test(name)) ?? ''
  const isPath = (name: string) => name.includes('/')
  const files = names.filter((name) => /\.tsx?$/.test(name))
  return files.map((name) => (isPath(name) ? name : posix.join(folder, name)))
}

describe('the map of the architecture', () => {
  const map = readFileSync(posix.join(root, 'docs/architecture.md'), 'utf8')
  const [, table = ''] = /^\| to learn .*\n(?:\|[ -|]+\n)((?:\|.*\n)+)/m.exec(map) ?? []
  const rows = table.trimEnd().split('\n')

  test.each(rows)('sends nobody to a file that is not there: %s', (row) => {
    const named = namedIn(row)
    expect(named.length).toBeGreaterThan(0)
    expect(named.filter((file) => !existsSync(posix.join(root, file)))).toEqual([])
  })

  const [, walk = ''] = /^## One capture.*?$(.*?)^## /ms.exec(map) ?? []
  const steps = [...walk.matchAll(/^\d+\. `([^`]+)`/gm)].map(([, file = '']) => file)

  test('walks one capture from HTTP to its CSV line in at most 25 files that exist', () => {
    expect(steps.length).toBeGreaterThan(15)
    expect(steps.length).toBeLessThanOrEqual(25)
    expect(steps.filter((file) => !existsSync(posix.join(root, file)))).toEqual([])
  })
})

test('the front page is at most 8 KB', () => {
  expect(readFileSync(posix.join(root, 'README.md')).byteLength).toBeLessThanOrEqual(8_192)
})
