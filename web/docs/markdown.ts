/** What stands under one heading, as plain text for the search. */
export type Section = {
  readonly id: string
  readonly title: string
  /** 1 for the title of the page. */
  readonly level: number
  readonly text: string
}

type Rendered = { readonly html: string; readonly sections: readonly Section[] }

/** Renders Markdown as HTML; `linkOf` turns the links of the repository into those of the site. */
export type RenderMarkdown = (
  text: string,
  linkOf: (href: string) => string | undefined,
) => Promise<Rendered>
