import type { Names } from './brand.ts'
import type { Reply } from './replies.ts'

/** Any origin may read the answer and these headers (Fetch Standard, 3.2.2). */
export const forAnyOrigin = ({ position }: Names) => ({
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': `WWW-Authenticate, X-Request-Id, ${position}, Age`,
})

const allowedHeaders = ['Authorization', 'Cache-Control', 'Content-Type', 'DPoP']

export const preflight = (methods: string, { minPosition }: Names): Reply => ({
  status: 204,
  headers: {
    Allow: methods,
    'Access-Control-Allow-Methods': methods,
    'Access-Control-Allow-Headers': [...allowedHeaders, minPosition].join(', '),
    'Access-Control-Max-Age': '600',
  },
  body: null,
})
