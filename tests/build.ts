import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { build, type Plugin } from 'esbuild'
import { fingerprintOfSources } from '../infrastructure/read-models/fingerprint.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const builtWorker = fileURLToPath(new URL('../dist/infrastructure/worker.js', import.meta.url))

/** Programs that tests start beside them. */
const programs = [
  'event-store/process',
  'event-store/protocol-server',
  'read-models/folding-process',
]

/** Path of a built test program, which starts four times as fast as with tsx. */
export const builtProgram = (name: (typeof programs)[number]): string =>
  fileURLToPath(new URL(`../dist-tests/${name}.js`, import.meta.url))

/** They start workers of the built program, like the tests. */
const workersOfBuild: Plugin = {
  name: 'workers of the built program',
  setup: ({ onResolve }) =>
    onResolve({ filter: /\/worker\.ts$/ }, () => ({ path: builtWorker, external: true })),
}

/** Builds the program before the tests, which start its processes as users do. */
export const setup = async (): Promise<void> => {
  execFileSync('npm', ['run', '--silent', 'build'], { cwd: root, stdio: 'inherit' })
  await build({
    absWorkingDir: root,
    entryPoints: programs.map((name) => `tests/${name}.ts`),
    outbase: 'tests',
    outdir: 'dist-tests',
    bundle: true,
    packages: 'external',
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    define: { builtFingerprint: JSON.stringify(fingerprintOfSources()) },
    plugins: [workersOfBuild],
    logLevel: 'warning',
  })
}
