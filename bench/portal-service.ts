import { makeVisitor } from '../tests/people/visitor.ts'
import type { PortalLog } from './portal-log.ts'
import { startServer } from './processes.ts'

/** The service on that log, and somebody of the staff who has signed in. */
export const startPortal = async ({ directory }: Pick<PortalLog, 'directory'>) => {
  const environment = { DATA_DIR: directory, HOST: '127.0.0.1', PORT: '0', MODE: 'sandbox' }
  const service = await startServer('../dist/infrastructure/main.js', ['serve'], {
    ...environment,
    LOG_LEVEL: 'error',
  })
  const address = `http://${service.address.host}:${service.address.port}`
  const visitor = makeVisitor({ address })
  const signedIn = await visitor.signIn('alice')
  if (signedIn.status >= 400) throw new Error(`signing in: ${signedIn.status}`)
  const headers = {
    Accept: 'text/html,*/*;q=0.8',
    'Accept-Language': 'en',
    Cookie: [...visitor.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
  }
  return { service, address, visitor, headers }
}
