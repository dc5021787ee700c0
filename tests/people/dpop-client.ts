import { createHash, randomUUID } from 'node:crypto'
import { calculateJwkThumbprint, exportJWK, generateKeyPair, SignJWT, type JWK } from 'jose'
import { expect } from 'vitest'
import type { PeopleService } from '../support/people-service.ts'
import { pkce } from './pkce.ts'
import { makeVisitor } from './visitor.ts'

export const redirectUri = 'https://shop.example/callback'

export type App = { readonly client_id: string; readonly client_secret: string | null }

export const newKey = () => generateKeyPair('ES256', { extractable: true })
export type Key = Awaited<ReturnType<typeof newKey>>
export const thumbprint = async ({ publicKey }: Key) =>
  calculateJwkThumbprint(await exportJWK(publicKey))

/** A DPoP proof for the key, with some members changed. */
export const proofOf = async (
  { privateKey, publicKey }: Key,
  claims: Readonly<Record<string, unknown>>,
  header: Readonly<Record<string, unknown>> = {},
): Promise<string> => {
  const jwk: JWK = await exportJWK(publicKey)
  return new SignJWT({ jti: randomUUID(), iat: Math.floor(Date.now() / 1000), ...claims })
    .setProtectedHeader({ alg: 'ES256', typ: 'dpop+jwt', jwk, ...header })
    .sign(privateKey)
}

export const ath = (token: string) => createHash('sha256').update(token).digest('base64url')

/** A client that proves its key, and a payer who consents. */
export const dpopClient = (service: PeopleService) => {
  const addApp = async (...options: string[]): Promise<App> => {
    const words = ['app', 'add', 'sandbox', '--name', 'Wallet', '--redirect-uri', redirectUri]
    return (await service.operator(...words, ...options)) as unknown as App
  }

  const post = async (form: Record<string, string>, headers: Record<string, string> = {}) => {
    const sent = { method: 'POST', headers, body: new URLSearchParams(form) }
    const answer = await fetch(`${service.address}/oauth2/token`, sent)
    return { status: answer.status, body: (await answer.json()) as any }
  }

  /** Alice consents; returns the form that redeems the code. */
  const codeFor = async ({ client_id }: App, asked: Readonly<Record<string, string>> = {}) => {
    const visitor = makeVisitor(service)
    const query = { response_type: 'code', client_id, scope: 'openid profile', prompt: 'consent' }
    const search = new URLSearchParams({ ...query, ...pkce.challenge, ...asked })
    const page = await visitor.follow(await visitor.visit(`/oauth2/auth?${search.toString()}`))
    const consent = await visitor.follow(await visitor.signInAt(page, 'alice'))
    const { location } = await visitor.submit(consent, { decision: 'allow' })
    const code = new URL(location ?? '').searchParams.get('code') ?? ''
    return { grant_type: 'authorization_code', client_id, code, ...pkce.verifier }
  }

  const atToken = () => ({ htm: 'POST', htu: `${service.address}/oauth2/token` })

  /** Tokens of a public client, bound to the key. */
  const boundTokens = async (app: App, key: Key) => {
    const form = await codeFor(app)
    const answer = await post(form, { DPoP: await proofOf(key, atToken()) })
    expect(answer).toMatchObject({ status: 200, body: { token_type: 'DPoP' } })
    return answer.body as { access_token: string; refresh_token: string }
  }

  const userInfo = async (authorization: string, proof?: string) => {
    const headers = { Authorization: authorization, ...(proof !== undefined && { DPoP: proof }) }
    const answer = await fetch(`${service.address}/oauth2/v1/userinfo`, { headers })
    const challenge = answer.headers.get('www-authenticate')
    return { status: answer.status, body: (await answer.json()) as any, challenge }
  }
  const atUserInfo = (token: string) => ({
    ...{ htm: 'GET', htu: `${service.address}/oauth2/v1/userinfo`, ath: ath(token) },
  })
  return { addApp, post, codeFor, atToken, boundTokens, userInfo, atUserInfo }
}
