import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/** Builds the package before the tests begin: they start its processes as a user would. */
export const setup = (): void => {
  const cwd = fileURLToPath(new URL('..', import.meta.url))
  execFileSync('npm', ['run', '--silent', 'build'], { cwd, stdio: 'inherit' })
}
