import { afterAll } from 'vitest'
import { startPeopleService } from '../support/people-service.ts'
import { makeVisitor } from '../people/visitor.ts'

/** A service for a test file, with a shop that alice owns and where she is signed in. */
export const shopOfAlice = async () => {
  const service = await startPeopleService()
  afterAll(() => service.stop())
  await service.operator('staff', 'add', 'sandbox', '+4799999901', '--role', 'owner')
  const alice = makeVisitor(service)
  await alice.signIn('alice')
  return { service, alice }
}
