import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { makeVisitor } from '../tests/people/visitor.ts'
import type { PortalLog } from './portal-log.ts'
import { startServer } from './processes.ts'
import { untilIdle } from './threads.ts'

const execute = promisify(execFile)

const program = fileURLToPath(new URL('../dist/service/main.js', import.meta.url))
const phone = '4799999901'

/** Gives alice access to the operator's pages. */
const addOperator = async (environment: Readonly<Record<string, string>>): Promise<void> => {
  const command = (...given: readonly string[]) =>
    execute(process.execPath, [program, '--json', 'operator', ...given], {
      env: { ...process.env, ...environment },
    })
  const { stdout } = await command('list')
  if ((JSON.parse(stdout) as unknown[]).length === 0) await command('add', phone, '--role', 'admin')
}

/** The service on that log, with a signed-in member of the staff and of the operator. */
export const startPortal = async ({ directory }: Pick<PortalLog, 'directory'>) => {
  const environment = { DATA_DIR: directory, HOST: '127.0.0.1', PORT: '0', MODE: 'sandbox' }
  await addOperator(environment)
  const service = await startServer('../dist/service/main.js', ['serve'], {
    ...environment,
    LOG_LEVEL: 'error',
  })
  const address = `http://${service.address.host}:${service.address.port}`
  const visitor = makeVisitor({ address })
  const signedIn = await visitor.signIn('alice')
  if (signedIn.status >= 400) throw new Error(`signing in: ${signedIn.status}`)
  await untilIdle(service.pid)
  const headers = {
    Accept: 'text/html,*/*;q=0.8',
    'Accept-Language': 'en',
    Cookie: [...visitor.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
  }
  return { service, address, visitor, headers }
}
