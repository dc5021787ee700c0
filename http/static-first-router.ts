import type { Result, Router } from 'hono/router'
import { RegExpRouter } from 'hono/router/reg-exp-router'

/**
 * Finds paths without parameters by name and all others in one step. Refuses paths that would have
 * to be looked up step by step, such as /a/:b beside /a/b/:c; /a/b beside /a/:b is fine.
 */
export class StaticFirstRouter<Handler> implements Router<Handler> {
  readonly name = 'StaticFirstRouter'
  readonly #byMethod = new Map<string, Map<string, Result<Handler>>>()
  readonly #others = new RegExpRouter<Handler>()

  add(method: string, path: string, handler: Handler): void {
    if (/[:*]/.test(path)) return this.#others.add(method, path, handler)
    const byPath = this.#byMethod.get(method) ?? new Map<string, Result<Handler>>()
    this.#byMethod.set(method, byPath.set(path, [[[handler, {}]]]))
  }

  match(method: string, path: string): Result<Handler> {
    return this.#byMethod.get(method)?.get(path) ?? this.#others.match(method, path)
  }
}
