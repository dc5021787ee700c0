import type { Seconds } from '../domain/time.ts'

/** A cookie of our pages, which neither scripts nor other sites can read. */
export const ownCookie = (
  { isSecure, sameSite }: { readonly isSecure: boolean; readonly sameSite: 'Lax' | 'Strict' },
  shortName: string,
  pattern: RegExp,
) => {
  // With the prefix browsers refuse the cookie from other hosts and over http (RFC 6265bis, 4.1.3).
  const name = `${isSecure ? '__Host-' : ''}daybook-${shortName}`
  const attributes = `Path=/; HttpOnly; SameSite=${sameSite}${isSecure ? '; Secure' : ''}`
  return {
    find: (header = ''): string | undefined =>
      header
        .split(';')
        .map((part) => part.trim())
        .filter((part) => part.startsWith(`${name}=`))
        .map((part) => part.slice(name.length + 1))
        .find((value) => pattern.test(value)),
    /** Until the browser closes. */
    keep: (value: string): string => `${name}=${value}; ${attributes}`,
    keepFor: (value: string, lifetime: Seconds): string =>
      `${name}=${value}; Max-Age=${lifetime}; ${attributes}`,
    none: `${name}=; Max-Age=0; ${attributes}`,
  }
}
