import { StoreUnavailable } from '../../application/event-store.ts'

/**
 * The state of a vault during `daybook vault move`: in use, being copied, incomplete, or moved
 * elsewhere. A file stores the index.
 */
export const standings = ['used', 'moving', 'filling', 'left'] as const
export type Standing = (typeof standings)[number]

/** The log was sealed with the keys of another vault, or its vault is missing. */
export class WrongVault extends Error {
  override readonly name = 'WrongVault'
  constructor(
    vault: string,
    whatItIs = 'is not the vault that this log is sealed with',
    advice = 'put that one in its place, or name it with VAULT',
  ) {
    super(`${vault} ${whatItIs}: ${advice}`)
  }
}

const runAgain = 'run `daybook vault move` again'

/** @throws WrongVault unless the vault can be used */
export const refuseMoved = (standing: Standing, vault: string): void => {
  switch (standing) {
    case 'used':
      return
    case 'moving':
      throw new WrongVault(vault, 'was being moved', runAgain)
    case 'filling':
      throw new WrongVault(vault, 'does not hold all people yet', runAgain)
    case 'left':
      throw new WrongVault(vault, 'has been moved elsewhere', 'name that place with VAULT')
  }
}

/** @throws StoreUnavailable if the vault was moved while in use */
export const checkNotMoved = (standing: Standing): void => {
  if (standing !== 'used') throw new StoreUnavailable('the vault is moved elsewhere')
}
