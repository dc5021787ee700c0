import { answersToNoRequest, headersOfAll } from './replies.ts'
import { outageText } from './service.ts'

type Needs = Omit<Parameters<typeof answersToNoRequest>[0], 'freshness'>

/** The answers of a service that listens, but has not reached its store yet. */
export const answersBeforeStore = (needs: Needs) => {
  const refusal = answersToNoRequest({ ...needs, freshness: { known: () => 0 } })
  const live = (): Response => {
    const headers = { ...headersOfAll(needs.isSecure), 'Content-Type': needs.names.json }
    return new Response(JSON.stringify({ status: 'live' }), { headers })
  }
  const fetch = (request: Request): Response => {
    if (new URL(request.url).pathname === '/health/live') return live()
    const { status, headers, body } = refusal(503, outageText(['log']))
    return new Response(body, { status, headers: { ...headers, 'Retry-After': '1' } })
  }
  return { fetch, refusal }
}
