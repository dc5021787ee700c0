/** Whose ids the examples name. */
export type OwnIds = { readonly merchant?: string | undefined; readonly user?: string | undefined }

/** Their signatures hold for the ids that stand there. */
const isSigned = (example: string): boolean =>
  /PRIVATE KEY|RSA-SHA256 [A-Za-z0-9+/]{40}|^<pre[^>]*>.*POST\|http/.test(example)

/** A page whose examples name a merchant and its user in place of the sandbox's. */
export const withOwnIds = (html: string, { merchant = 'sandbox', user = 'pos1' }: OwnIds): string =>
  html.replaceAll(/<pre[^]*?<\/pre>/g, (example) =>
    isSigned(example)
      ? example
      : example
          .replaceAll('sandbox-secret', () => 'YOUR-SECRET')
          .replaceAll(/(?<![/\w-])sandbox(?![/\w-])/g, () => merchant)
          .replaceAll('private-m-sandbox-', () => `private-m-${merchant}-`)
          .replaceAll(/(?<![\w-])pos1(?![\w-])/g, () => user),
  )
