import { generateKeyPairSync } from 'node:crypto'
import { namesOf } from '../../http/assets.ts'
import { stringToSign } from '../../http/signed-request.ts'
import { makeCallbackSender } from '../../infrastructure/callbacks/callback-sender.ts'
import type { Resolve } from '../../infrastructure/callbacks/name-resolution.ts'
import { makeSignedPost } from '../../infrastructure/callbacks/signed-post.ts'
import { makeSigner } from '../../infrastructure/keys/keys.ts'

const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey

const ed25519 = generateKeyPairSync('ed25519').privateKey

export const testSigner = makeSigner(rsa, ed25519)

type Needs = Parameters<typeof makeCallbackSender>[0] & {
  readonly resolve: Resolve
  readonly arePrivateAddressesAllowed: boolean
}

/** A sender that may connect to this machine. */
export const makeTestSender = (needs: Partial<Needs> = {}) => {
  const { resolve, arePrivateAddressesAllowed = true } = needs
  const sender = makeCallbackSender({
    signer: testSigner,
    names: namesOf({ headerPrefix: 'X-Service', mediaVendor: 'service' }),
    stringToSign,
    machineNow: Date.now,
    signedPost: makeSignedPost({ arePrivateAddressesAllowed }, resolve),
    ...needs,
  })
  return {
    ...sender,
    /** Without its duration, which varies, and what the receiver told in its body. */
    send: async (...given: Parameters<typeof sender.send>) => {
      const { durationMs: _, beginning: __, ...answer } = await sender.send(...given)
      return answer
    },
  }
}
