import { cached, generationalCache } from '../../application/generational-cache.ts'
import { seal, unseal } from './sealing.ts'
import type { Vault } from './vault-port.ts'

const addressesKept = 10_000

/** Seals the addresses of merchants' requests for the log, with a secret of the vault. */
export const sealAddresses = ({ secret }: Pick<Vault, 'secret'>) => {
  const key = secret('addresses')
  const known = generationalCache<string, string>(addressesKept)
  return {
    sealAddress: (address: string): string => cached(known, address, () => seal(key, address)),
    /** Undefined if it was sealed with another vault. */
    openAddress: (sealed: string): string | undefined => unseal(key, sealed),
  }
}
