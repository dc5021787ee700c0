import { groups } from './groups.ts'
import type { Route } from './route.ts'

/** The groups in use (OpenAPI 3.1, Tag Object). */
export const tagsOf = (routes: readonly Route[]) =>
  Object.entries(groups)
    .filter(([name]) => name === 'Callback' || routes.some(({ group }) => group === name))
    .map(([name, description]) => ({ name, description }))
