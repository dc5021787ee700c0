import { replacedSecrets } from '../../domain/people/application.ts'
import type { Instant } from '../../domain/time.ts'
import type { SecretGuesses } from '../../application/secret-guesses.ts'
import type { Authenticate } from '../access.ts'
import type { Names } from '../assets.ts'
import { type Call, contextBy } from '../call.ts'
import { RequestError } from '../errors.ts'
import { type Fields, anyForm, type FormOf } from '../forms.ts'
import { OAuthError, parameter, notKept, oauthAnswer, oauthErrors, oauthJson } from './reply.ts'
import { z } from 'zod'
import { route, type Route } from '../route.ts'

export type ProofNeeds = {
  /** The thumbprint of the key that signed the proof, or what is wrong with it. */
  readonly checkProof: (
    proof: string,
    request: {
      readonly method: string
      readonly url: string
      /** Of a request with a token, which the proof must name. */
      readonly accessToken?: string
    },
  ) => Promise<{ readonly jkt: string } | { readonly problem: string }>
}

export const proofHeader = ({ request }: Call): string | undefined => request.header('dpop')

/**
 * The thumbprint of the key that a token request proves; undefined without a proof.
 * @throws OAuthError
 */
export const provedKey = async (
  { checkProof }: ProofNeeds,
  call: Call,
): Promise<string | undefined> => {
  const proof = proofHeader(call)
  if (proof === undefined) return undefined
  const { method, url } = call.request
  const checked = await checkProof(proof, { method, url: url() })
  if ('problem' in checked) throw new OAuthError('invalid_dpop_proof', checked.problem)
  return checked.jkt
}

type EarlierSecret = { readonly hash: string; readonly until: Instant }

export type KnownApplication = {
  readonly clientId: string
  readonly merchant: string
  readonly name: string
  readonly redirectUris: readonly string[]
  readonly secretHash: string | null
  readonly previousSecret?: EarlierSecret | undefined
  readonly earlierSecrets?: EarlierSecret[] | undefined
  /** The application itself, or its merchant. */
  readonly isDisabled: boolean
  readonly requiresPkce?: true | undefined
  readonly requiresDpop?: true | undefined
}

export type ClientNeeds = {
  readonly names: Names
  readonly authenticate: Authenticate
  readonly caughtUp: () => Promise<void>
  readonly findApplication: (clientId: string) => KnownApplication | undefined
  /** Slows down who guesses. @throws Refusal secrets_are_wrong_too_often */
  readonly guardGuesses: SecretGuesses
  /** Compares in constant time. */
  readonly isSecretOf: (secret: string, hash: string) => boolean
}

/** Of no secret. */
const hashOfNobody = '0'.repeat(43)

/** An application, or a merchant under its own id. */
export type Client = {
  readonly id: string
  readonly merchant: string
  readonly isPublic: boolean
  readonly requiresDpop: boolean
}

/** RFC 6749, 2.3.1: id and secret are form-urlencoded before joining. */
const decoded = (text: string): string | undefined => {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return undefined
  }
}

export const basicOf = (header: string | undefined) => {
  const [, encoded] = /^basic +([a-z0-9+/=_-]+)$/i.exec(header ?? '') ?? []
  if (encoded === undefined) return undefined
  const text = Buffer.from(encoded, 'base64').toString('utf8')
  const colon = text.indexOf(':')
  const id = decoded(text.slice(0, Math.max(0, colon)))
  const secret = decoded(text.slice(colon + 1))
  return { id: id ?? '', secret: secret ?? '' }
}

const unknownClient = (problem = 'Client authentication failed.') =>
  new OAuthError('invalid_client', problem, 401, {
    'WWW-Authenticate': 'Basic realm="oauth2", charset="UTF-8"',
  })

/** Authenticates an application by its id and secret, or a public one by its id. */
const makeApplicationAccess = (needs: ClientNeeds) => {
  /** Waits for the log: what has just been rotated out or disabled must not be let in. */
  const findRight = async (
    id: string,
    isRight: (found: KnownApplication | undefined) => boolean,
  ): Promise<KnownApplication | undefined> => {
    await needs.caughtUp()
    const found = needs.findApplication(id)
    return isRight(found) ? found : undefined
  }

  /** Compares with all of them, so that timing does not tell which is right. */
  const isSecretOf = (secret: string, found: KnownApplication | undefined, at: Instant) => {
    const present = [found?.secretHash ?? hashOfNobody]
    const replaced = replacedSecrets(found ?? {}, at).map(({ hash }) => hash)
    return present.concat(replaced).filter((hash) => needs.isSecretOf(secret, hash)).length > 0
  }

  const findBySecret = async (id: string, secret: string, { request, at }: Call) => {
    let right: KnownApplication | undefined
    const isRight = (found: KnownApplication | undefined): boolean => isSecretOf(secret, found, at)
    const verify = async () => (right = await findRight(id, isRight)) !== undefined
    const who = () => ({ actor: needs.findApplication(id) ? `client:${id}` : 'client:?' })
    // All secrets of applications are made here, of 256 random bits.
    await needs.guardGuesses(`client ${id}`, request.remoteAddress, verify, who, verify)
    return right
  }

  return async (
    id: string,
    secret: string | undefined,
    mayBePublic: boolean,
    call: Call,
  ): Promise<Client> => {
    const found =
      secret === undefined
        ? await findRight(id, (known) => known?.secretHash === null && mayBePublic)
        : await findBySecret(id, secret, call)
    if (!found) throw unknownClient()
    const { merchant, secretHash, isDisabled, requiresDpop = false } = found
    if (isDisabled) throw unknownClient('The application or its merchant is disabled.')
    return { id, merchant, isPublic: secretHash === null, requiresDpop }
  }
}

/**
 * Authenticates a client: HTTP Basic, form fields, a merchant's interface headers (interface 11),
 * or only the id of a public client.
 */
export const makeClientAccess = (needs: ClientNeeds) => {
  const { names } = needs
  const applicationClient = makeApplicationAccess(needs)

  const merchantClient = async (call: Call, named: string | undefined): Promise<Client> => {
    try {
      const { merchant } = await needs.authenticate('SECRET', call.request)
      if (named !== undefined && named !== merchant) throw unknownClient()
      return { id: merchant, merchant, isPublic: false, requiresDpop: false }
    } catch (error) {
      throw error instanceof RequestError && error.status === 401
        ? unknownClient(error.message)
        : error
    }
  }

  return async (
    call: Call,
    form: Fields<'client_id' | 'client_secret'>,
    mayBePublic: boolean,
  ): Promise<Client> => {
    const named = parameter(form, 'client_id')
    const posted = parameter(form, 'client_secret')
    if (call.request.header(names.merchant) !== undefined) return merchantClient(call, named)
    const basic = basicOf(call.request.header('authorization'))
    if (basic) {
      if (posted !== undefined || (named !== undefined && named !== basic.id))
        throw new OAuthError('invalid_request', 'The client authenticates in two ways.')
      return applicationClient(basic.id, basic.secret, mayBePublic, call)
    }
    if (named === undefined) throw unknownClient()
    return applicationClient(named, posted, mayBePublic, call)
  }
}

export type ClientAccess = ReturnType<typeof makeClientAccess>

export const contextOfClient = (call: Call, { id, merchant }: Pick<Client, 'id' | 'merchant'>) =>
  contextBy(call, `client:${id}`, merchant)

/** Client credentials in the form; headers may carry them instead. */
export const clientParameters = {
  client_id: z
    .string()
    .optional()
    .meta({
      description:
        'RFC 6749, 2.3.1 and 3.2.1: the id of the client. Beside HTTP Basic, or the headers of a ' +
        'merchant, it can be left out, and must be the same.',
    }),
  client_secret: z.string().optional().meta({
    description: 'RFC 6749, 2.3.1: instead of HTTP Basic. A public client has none.',
  }),
}

export type Endpoint<Fields extends z.ZodType> = {
  readonly path: string
  readonly summary: string
  readonly description?: string
  readonly form: Fields
  readonly reply: z.ZodObject
  /** Error codes of a 400. */
  readonly refusals: readonly string[]
  /** Whether clients without a secret are allowed. */
  readonly mayBePublic: boolean
  readonly isSafe?: boolean
  readonly answer: (client: Client, form: FormOf<Fields>, call: Call) => Promise<object>
}

/** The client that a request names, known or not. */
export const namedIn = ({ request, body }: Call<unknown, unknown, Fields<'client_id'>>) => {
  const { client_id: id } = body
  return basicOf(request.header('authorization'))?.id ?? (typeof id === 'string' ? id : undefined)
}

/** A route for OAuth clients: form in, JSON out (RFC 6749, 3.2; 7009; 7662). */
export const clientEndpoint =
  (clientOf: ClientAccess) =>
  <Fields extends z.ZodType>(endpoint: Endpoint<Fields>): Route => {
    const { form, refusals, mayBePublic, answer, ...members } = endpoint
    return route({
      ...members,
      method: 'POST',
      access: 'OPEN',
      guard: 'client',
      group: 'OAuth',
      body: anyForm,
      takesForm: true,
      ownForm: form,
      // Public clients may run in a browser (RFC 6749, 2.1).
      fromAnyOrigin: mayBePublic,
      success: 'raw',
      headers: notKept,
      replyTypes: ['application/json'],
      errors: {
        400: `Refused (RFC 6749, 5.2): ${refusals.map((code) => `\`${code}\``).join(', ')}.`,
        401: '`invalid_client`: nobody is known by these credentials (RFC 6749, 5.2).',
      },
      ownErrors: oauthErrors,
      handle: (call) =>
        oauthAnswer(async () => {
          const client = await clientOf(call, call.body, mayBePublic)
          return oauthJson(await answer(client, call.body as FormOf<Fields>, call))
        }, namedIn(call)),
    })
  }
