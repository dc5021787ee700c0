// Compiles the program into `dist`; `npm run check` checks its types. With the word `simulation` it
// goes into `dist-simulation`, with the simulator.
import { build, type Plugin } from 'esbuild'
import { execFileSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { fingerprintOfSources } from './infrastructure/read-models/fingerprint.ts'

/** Read by the simulator as it runs. */
const ofSimulator = ['simulation/acts.txt', 'domain/refusal.ts']

/** The program, its threads, and the module that starts them, which tests use as well. */
const entries = [
  'service/main',
  'service/server/serving-worker',
  'service/callbacks/delivery-worker',
  'service/pages/pages-worker',
  'infrastructure/worker',
  'infrastructure/event-store/commit-worker',
  'infrastructure/read-models/folding-worker',
  'infrastructure/threads/job-worker',
  'audit/query/run-query',
]

/** Packages with a compiled part, those of EventStoreDB, which few need, and many calendars. */
const external = [
  ...['better-sqlite3', 'better-sqlite3-13', '@node-rs/argon2'],
  ...['@eventstore/db-client', '@grpc/grpc-js'],
  'date-holidays',
]

/** Packages written as CommonJS find `require` here. */
const banner = `import { createRequire as requireOf } from 'node:module'
const require = requireOf(import.meta.url)`

const noMap = Buffer.from('{"version":3,"sources":[""],"mappings":"AAAA"}').toString('base64')
const noMapLine = `\n//# sourceMappingURL=data:application/json;base64,${noMap}`

/** Source maps are read at each start: those of packages would take longer than all else. */
const ownSourceMaps: Plugin = {
  name: 'source maps of our own code alone',
  setup: ({ onLoad }) =>
    onLoad({ filter: /node_modules.*\.[cm]?js$/ }, ({ path }) => ({
      contents: readFileSync(path, 'utf8') + noMapLine,
      loader: 'js',
    })),
}

/** Zod's messages in fifty languages, half of the package: ours are English or our own. */
const englishOnly: Plugin = {
  name: 'English messages of zod alone',
  setup: ({ onLoad }) =>
    onLoad({ filter: /zod[\\/]v4[\\/]locales[\\/]index\.js$/ }, () => ({
      contents: `export { default as en } from './en.js'`,
      loader: 'js',
    })),
}

/**
 * Pages are rendered at once, so hono/jsx needs no AsyncLocalStorage: Node 20 would call a hook for
 * each promise of every request once a page was rendered.
 */
const renderedAtOnce: Plugin = {
  name: 'hono/jsx without hooks for promises',
  setup: ({ onLoad }) =>
    onLoad({ filter: /hono[\\/]dist[\\/]jsx[\\/]context\.js$/ }, ({ path }) => {
      const source = readFileSync(path, 'utf8')
      const contents = source.replace('alsProbed = false', 'alsProbed = true')
      if (contents === source) throw new Error('hono/jsx has changed: build.ts')
      return { contents: contents + noMapLine, loader: 'js' }
    }),
}

const root = fileURLToPath(new URL('.', import.meta.url))
const isSimulation = process.argv.includes('simulation')
const out = isSimulation ? 'dist-simulation' : 'dist'

const filesIn = (folder: string, name: RegExp): string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => name.test(path))
    .map((path) => join(folder, path))

/** What `infrastructure/threads/job-worker` loads by name. */
const jobs = ['infrastructure', 'audit'].flatMap((room) => filesIn(room, /-job\.ts$/))

const { outputFiles } = await build({
  absWorkingDir: root,
  entryPoints: [
    ...(isSimulation ? ['simulation/run.ts'] : entries.map((name) => `${name}.ts`)),
    ...jobs,
  ],
  outbase: '.',
  outdir: out,
  // Beside the program, for threads are found from there.
  chunkNames: 'infrastructure/[name]-[hash]',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  external,
  banner: { js: banner },
  define: { builtFingerprint: JSON.stringify(fingerprintOfSources()) },
  sourcemap: true,
  sourcesContent: false,
  plugins: [englishOnly, renderedAtOnce, ownSourceMaps],
  logLevel: 'warning',
  write: false,
})

/** What merchants import: one file without dependencies, and its types. */
const client = await build({
  absWorkingDir: root,
  entryPoints: ['client/index.ts'],
  outfile: `${out}/client/index.js`,
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  logLevel: 'warning',
  write: false,
})

const clientSources = filesIn('client', /\.ts$/)
const declarations = clientSources.map((path) => join(root, out, path.replace(/\.ts$/, '.d.ts')))

/** Writes the types of the client when its sources are newer; `npm run check` checks them. */
const declareClient = (): void => {
  const changedAt = (path: string): number =>
    statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0
  const newest = Math.max(...clientSources.map((path) => changedAt(join(root, path))))
  if (declarations.every((path) => changedAt(path) > newest)) return
  const flags = ['--declaration', '--emitDeclarationOnly', '--noEmit', 'false', '--noCheck']
  const words = ['--project', 'client', '--outDir', `${out}/client`, ...flags]
  execFileSync(process.execPath, ['node_modules/typescript/bin/tsc', ...words], { cwd: root })
}

/** Files that are no code: in `dist` they lie at the path at which they lie here. */
const assets = [
  ...filesIn('web', /\.(?:css|js|ico)$/),
  ...filesIn('docs/guide', /\.md$/),
  'docs/interface.md',
  'verifier/verify.mjs',
  ...(isSimulation ? ofSimulator : []),
].map((path) => ({ path: join(root, out, path), contents: readFileSync(join(root, path)) }))

/** The viewer of the reference; its source maps and other builds stay behind. */
const viewer = ['swagger-ui.css', 'swagger-ui-bundle.js', 'LICENSE', 'NOTICE'].map((name) => ({
  path: join(root, out, 'swagger-ui-dist', name),
  contents: readFileSync(join(root, 'node_modules/swagger-ui-dist', name)),
}))

/** A running service may load what it needs later: files that are the same are not touched. */
const isThere = (path: string, contents: Uint8Array): boolean =>
  existsSync(path) && readFileSync(path).equals(contents)

const dist = join(root, out)
const all = [...outputFiles, ...client.outputFiles, ...assets, ...viewer]
for (const { path, contents } of all) {
  if (isThere(path, contents)) continue
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, contents)
}
declareClient()
const built = new Set([...declarations, ...all.map(({ path }) => path)])
for (const entry of readdirSync(dist, { recursive: true, withFileTypes: true })) {
  const path = join(entry.parentPath, entry.name)
  if (entry.isFile() && !built.has(path)) rmSync(path)
}
