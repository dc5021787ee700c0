import type { z } from 'zod'
import { route } from './route.ts'
import type { Default, Kind, Method, Own, Raw, Route, Success } from './route.ts'

/** Makes routes of one kind, by method and path: `get('/health/live', { … })`. */
export const routesOf = <Usual extends Success | Raw = never>(kind: Kind<Usual>) => {
  const anyKind: Kind<Success | Raw> = kind
  const by =
    (method: Method) =>
    <
      Params extends z.ZodObject | undefined = undefined,
      Query extends z.ZodObject | undefined = undefined,
      Body extends z.ZodType | undefined = undefined,
      Reply extends z.ZodType | undefined = undefined,
      S extends Success | Raw = [Usual] extends [never] ? Default<Reply> : Usual,
    >(
      path: string,
      own: Own<Params, Query, Body, Reply, S>,
    ): Route =>
      route({ ...(anyKind as Kind<S>), ...own, method, path })
  return { get: by('GET'), post: by('POST'), put: by('PUT'), remove: by('DELETE') }
}
