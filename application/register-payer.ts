import { payers } from '../domain/aggregates.ts'
import type { Profile } from '../domain/people/profile.ts'
import { refuse } from '../domain/refusal.ts'
import type { Context } from './handle.ts'
import type { Credentials } from './payers.ts'
import type { PeopleWork } from './people.ts'

/**
 * Takes a number from its holder, so that somebody else can have it. The log is written first: a
 * holder without the number gets no requests for it, whatever the vault contains.
 */
export const releaseNumber =
  ({ handle, find, people }: PeopleWork) =>
  async (holder: string, context: Context): Promise<void> => {
    if ((await find(payers, holder)).status === 'present')
      await handle(payers, holder, { type: 'LoseNumber' }, context)
    await people.release(holder)
  }

type Registration = {
  readonly profile: Profile
  readonly credentials: Credentials
  readonly requestedId?: string | undefined
  /** The number was just proved, so it is taken from an account that holds it. */
  readonly takesOver?: boolean
}

/** An erased payer is registered as a new one. @throws Refusal payer_exists */
export const registerPayer = (needs: PeopleWork) => {
  const { handle, find, people } = needs
  const release = releaseNumber(needs)

  return async (
    { profile, credentials, requestedId, takesOver = false }: Registration,
    context: Context,
  ): Promise<string> => {
    const secret = JSON.stringify(credentials)
    const holder = await people.personFor(profile.phone, requestedId)
    const holding = await find(payers, holder)
    const isPayer = holding.status === 'present'
    // Equal texts seal equally; salts are random, so only a repeat has equal credentials.
    if (isPayer && holding.credentials === people.seal(holder, secret)) return holder
    if (isPayer && !takesOver) return refuse('payer_exists')
    if (isPayer) await release(holder, context)
    const id = isPayer ? await people.personFor(profile.phone) : holder
    await handle(
      payers,
      id,
      {
        type: 'RegisterPayer',
        profile: people.seal(id, JSON.stringify(profile)),
        credentials: people.seal(id, secret),
      },
      context,
    )
    return id
  }
}

type ErasureNeeds = PeopleWork & {
  readonly withdrawAll: (payer: string, context: Context) => Promise<void>
}

/**
 * Destroys a person's keys, payer or not, so that the log reveals nothing about them. No event
 * changes, so totals and proofs stay valid.
 */
export const eraseById =
  ({ handle, find, people, withdrawAll }: ErasureNeeds) =>
  async (id: string, context: Context): Promise<void> => {
    const payer = await find(payers, id)
    if (payer.status === 'present') {
      await withdrawAll(id, context)
      await handle(payers, id, { type: 'ErasePayer' }, context)
      for (const person of payer.absorbed) await people.shred(person)
    }
    await people.shred(id)
  }

/** `identifier` is the person's identifier, or else the id. @throws Refusal payer_is_unknown */
export const erasePerson =
  (needs: ErasureNeeds) =>
  async (identifier: string, context: Context): Promise<void> => {
    const { people } = needs
    await people.caughtUp()
    const named = people.findPerson(identifier)
    const id = named ?? (people.hasPerson(identifier) ? identifier : refuse('payer_is_unknown'))
    await eraseById(needs)(id, context)
  }
