import { generateKeyPairSync } from 'node:crypto'
import { namesOf } from '../../http/brand.ts'
import { stringToSign } from '../../http/signature.ts'
import { makeCallbackSender } from '../../infrastructure/callbacks/callback-sender.ts'
import { makeResolve } from '../../infrastructure/callbacks/name-resolution.ts'
import { makeSigner } from '../../infrastructure/keys.ts'

const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey
const ed25519 = generateKeyPairSync('ed25519').privateKey

type Needs = Parameters<typeof makeCallbackSender>[0]

/** A sender that may talk to this machine. */
export const makeTestSender = (needs: Partial<Needs> = {}) => {
  const sender = makeCallbackSender({
    signer: makeSigner(rsa, ed25519),
    names: namesOf({ headerPrefix: 'X-Service', mediaVendor: 'service' }),
    stringToSign,
    machineNow: Date.now,
    resolve: makeResolve(),
    arePrivateAddressesAllowed: true,
    secureContext: undefined,
    ...needs,
  })
  return {
    ...sender,
    /** Without its time, which differs. */
    send: async (...given: Parameters<typeof sender.send>) => {
      const { durationMs: _, ...answer } = await sender.send(...given)
      return answer
    },
  }
}
