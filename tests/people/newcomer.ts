import { codeAt } from '../../infrastructure/people/one-time-codes.ts'
import type { RunningService } from '../../harness/in-process.ts'
import { keyIn, makeVisitor, type TestVisitor } from './visitor.ts'

export const now = (secret: string): string => codeAt(secret, Date.now())

/** A new payer with browser, authenticator and recovery codes. */
export const newcomerAt = async (
  service: Pick<RunningService, 'address'>,
  phone: string,
  pin = '8642',
) => {
  const visitor = makeVisitor(service)
  const step = await visitor.proveNumberAt(await visitor.visit('/payer/sign-up'), { phone, pin })
  const secret = keyIn(step)
  const { html } = await visitor.submit(step, { code: now(secret) })
  const list = /<ol class="codes"[^]*?<\/ol>/.exec(html)?.[0] ?? ''
  const codes = [...list.matchAll(/<code>([^<]+)<\/code>/g)].map(([, code = '']) => code)
  return { phone, pin, visitor, secret, codes }
}

/** Signs in with both factors; returns the last page. */
export const signIn = async (visitor: TestVisitor, phone: string, pin: string, code: string) => {
  const first = await visitor.visit('/payer/sign-in?again')
  const second = await visitor.submit(first, { phone, pin })
  return second.html.includes('name="code"') ? visitor.submit(second, { code }) : second
}

export const isIn = async (visitor: TestVisitor): Promise<boolean> =>
  (await visitor.visit('/payer/')).status === 200
