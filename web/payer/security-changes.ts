import { phoneDigits } from '../../application/people.ts'
import { isNewPin } from '../../domain/people/payer-command.ts'
import type { Call } from '../../http/call.ts'
import { compactFieldOf, fieldOf, type FormOf } from '../../http/forms.ts'
import type { RawReply } from '../../http/route.ts'
import type { securityForm } from './account-asks.ts'
import { accountWork, type AccountNeeds, type Who } from './account-work.ts'
import { recoveryCodesHtml } from './recovery-codes.ts'
import type { ChangeName } from './security-forms.ts'
import type { SignedIn, Visits } from './session.ts'

export type SecurityFormCall = Call<undefined, undefined, FormOf<typeof securityForm>>

const whoIs = ({ session: { payer, digest: session }, known }: SignedIn): Who => ({
  payer,
  session,
  known,
})

type Done = { readonly wrong: string; readonly proof?: string } | RawReply

/** Carries a change out; answers what is wrong, or the page after it. */
export const carryOut = (needs: AccountNeeds, visits: Visits) => {
  const work = accountWork(needs)
  const done = (visitor: SignedIn) => visits.go(visitor, '/payer/security?done')

  const changeNumber = async (visitor: SignedIn, call: SecurityFormCall): Promise<Done> => {
    const { texts } = visitor
    const { body } = call
    const proof = fieldOf(body, 'proof')
    const who = whoIs(visitor)
    if (proof === '') {
      const phone = phoneDigits(fieldOf(body, 'phone'))
      if (phone === undefined) return { wrong: texts.wrongPhone }
      return { wrong: '', proof: work.askNumber(who, phone, texts, call) }
    }
    const factors = { pin: fieldOf(body, 'pin'), code: fieldOf(body, 'code') }
    const proved = { proof, numberCode: fieldOf(body, 'number_code') }
    return (await work.changeNumber(who, proved, factors, call))
      ? done(visitor)
      : { wrong: texts.wrongNumberCode, proof }
  }

  return async (visitor: SignedIn, change: ChangeName, call: SecurityFormCall): Promise<Done> => {
    const { texts } = visitor
    const { body } = call
    const who = whoIs(visitor)
    const factors = { pin: fieldOf(body, 'pin'), code: fieldOf(body, 'code') }
    switch (change) {
      case 'pin': {
        const newPin = fieldOf(body, 'new_pin')
        if (!isNewPin(newPin)) return { wrong: texts.wrongNewPin }
        await work.changePin(who, newPin, factors, call)
        return done(visitor)
      }
      case 'authenticator': {
        const given = {
          sealed: fieldOf(body, 'authenticator'),
          newCode: compactFieldOf(body, 'new_code'),
        }
        const isRight = await work.changeAuthenticator(who, given, factors, call)
        return isRight ? done(visitor) : { wrong: texts.wrongCode }
      }
      case 'recovery_codes': {
        const codes = await work.newRecoveryCodes(who, factors, call)
        const shown = recoveryCodesHtml(visitor, codes, '/payer/security')
        return visits.show(visitor, { title: texts.codesTitle, body: shown })
      }
      case 'number':
        return changeNumber(visitor, call)
      case 'close':
        await work.close(who, factors, call)
        return visits.go(visitor, '/payer/sign-in?closed', [visits.noCookie])
    }
  }
}
