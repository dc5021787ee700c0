import { z } from 'zod'
import { free, tokenMembers } from '../token-reply.ts'
import { clientParameters } from './client-endpoint.ts'

export const tokenReply = z
  .object({
    ...tokenMembers,
    access_token: z.string(),
    token_type: z.enum(['Bearer', 'DPoP']).meta({
      description:
        '`DPoP` when the request proved a key, to which the tokens are bound (RFC 9449).',
    }),
    id_token: z.string().optional().meta({ description: 'With the scope `openid`.' }),
    scope: z
      .string()
      .optional()
      .meta({ description: 'Space-delimited; absent when there is none.' }),
    currency: z.null(),
    fee: z.literal(free.fee),
    report_id: z.null(),
    state: z.string().optional().meta({ description: 'Of the authorization request.' }),
  })
  .meta({ id: 'OAuthTokens' })

export const codeGrant = z.object({
  grant_type: z.literal('authorization_code').meta({ description: 'RFC 6749, 4.1.3.' }),
  code: z.string().meta({
    description: 'RFC 6749, 4.1.3: out of the redirect, within 60 seconds, and once.',
  }),
  redirect_uri: z.string().optional().meta({
    description: 'RFC 6749, 4.1.3: needed, and the same, when the authorization request had one.',
  }),
  code_verifier: z
    .string()
    .regex(/^[A-Za-z0-9._~-]{43,128}$/)
    .optional()
    .meta({
      description:
        'RFC 7636, 4.5: needed when the authorization request had a `code_challenge`, and ' +
        'refused otherwise.',
      examples: ['dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk'],
    }),
  ...clientParameters,
})

export const refreshGrant = z.object({
  grant_type: z.literal('refresh_token').meta({ description: 'RFC 6749, 6.' }),
  refresh_token: z.string().meta({
    description:
      'RFC 6749, 6: the latest one. Each gives another, and the same other for a minute.',
  }),
  scope: z
    .string()
    .optional()
    .meta({
      description:
        'RFC 6749, 6: names with spaces between them, none but what was granted; all of it when ' +
        'absent.',
      examples: ['openid profile'],
    }),
  ...clientParameters,
})

export const anyGrant = z.discriminatedUnion('grant_type', [codeGrant, refreshGrant])
