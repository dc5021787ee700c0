import hljs from 'highlight.js/lib/core'
import bash from 'highlight.js/lib/languages/bash'
import http from 'highlight.js/lib/languages/http'
import javascript from 'highlight.js/lib/languages/javascript'
import json from 'highlight.js/lib/languages/json'
import php from 'highlight.js/lib/languages/php'
import python from 'highlight.js/lib/languages/python'
import { Marked, type Token, type Tokens } from 'marked'

type Section = { id: string; title: string; level: number; text: string }

/** The code languages, and the titles of their tabs. */
const languages = { bash, http, js: javascript, json, php, python }
const tabNames: Readonly<Record<string, string>> = {
  bash: 'curl',
  js: 'Node',
  python: 'Python',
  php: 'PHP',
}
for (const [name, language] of Object.entries(languages)) hljs.registerLanguage(name, language)

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')

const slugOf = (title: string): string =>
  title
    .toLowerCase()
    .replaceAll(/[^\w\s-]/g, '')
    .trim()
    .replaceAll(/\s+/g, '-')

const codeHtml = ({ text, lang = '' }: Tokens.Code): string => {
  const html = lang in languages ? hljs.highlight(text, { language: lang }).value : escaped(text)
  return `<pre tabindex="0"><code class="language-${lang}">${html}</code></pre>\n`
}

/** Radio buttons, because they switch without a script. */
const tabsHtml = (codes: readonly Tokens.Code[], group: string): string => {
  const tabs = codes.map((code, index) => {
    const id = `${group}-${index}`
    const checked = index === 0 ? ' checked' : ''
    const name = tabNames[code.lang ?? ''] ?? code.lang ?? ''
    return (
      `<input type="radio" name="${group}" id="${id}" data-language="${name}"${checked}>` +
      `<label for="${id}">${name}</label>${codeHtml(code)}`
    )
  })
  return `<fieldset class="tabs"><legend>Example in</legend>${tabs.join('')}</fieldset>\n`
}

type Tabs = { type: 'tabs'; raw: string; codes: Tokens.Code[] }
const isCode = (token: Token | undefined): token is Tokens.Code => token?.type === 'code'
const isTabbed = (token: Token | undefined): token is Tokens.Code =>
  isCode(token) && (token.lang ?? '') in tabNames

/** Consecutive code blocks in several languages are one example. */
const withTabs = (tokens: readonly Token[]): Token[] => {
  const grouped: Token[] = []
  for (const token of tokens) {
    const last = grouped.at(-1) as Token | Tabs | undefined
    if (token.type === 'space') continue
    if (last?.type === 'tabs' && isTabbed(token)) (last as Tabs).codes.push(token)
    else if (isTabbed(last as Token) && isTabbed(token))
      grouped.splice(-1, 1, { type: 'tabs', raw: '', codes: [last as Tokens.Code, token] })
    else grouped.push(token)
  }
  return grouped
}

/** Without marks such as underscores and backticks. */
const inlineText = (tokens: readonly Token[] = []): string =>
  tokens
    .map((token) => {
      if (token.type === 'html') return ''
      if ('tokens' in token) return inlineText(token.tokens)
      return 'text' in token ? String(token.text) : ''
    })
    .join('')

const plainText = (tokens: readonly Token[]): string =>
  tokens
    .map((token) => {
      if (isCode(token)) return ''
      if (token.type === 'table') {
        const { header, rows } = token as Tokens.Table
        return [header, ...rows]
          .flat()
          .map((cell) => inlineText(cell.tokens))
          .join(' ')
      }
      if (token.type === 'list')
        return (token as Tokens.List).items.map((item) => plainText(item.tokens)).join(' ')
      return inlineText([token])
    })
    .join(' ')
    .replaceAll(/\s+/g, ' ')
    .trim()

const sectionsOf = (tokens: readonly Token[]): Section[] => {
  const sections: Section[] = []
  let start = 0
  tokens.forEach((token, index) => {
    if (token.type !== 'heading') return
    const { tokens: inline, depth } = token as Tokens.Heading
    const title = inlineText(inline)
    const next = tokens.findIndex((one, later) => later > index && one.type === 'heading')
    start = index + 1
    const own = tokens.slice(start, next === -1 ? undefined : next)
    sections.push({ id: slugOf(title), title, level: depth, text: plainText(own) })
  })
  return sections
}

const markedFor = (linkOf: (href: string) => string | undefined): Marked => {
  let group = 0
  return new Marked({
    extensions: [
      { name: 'tabs', renderer: (token) => tabsHtml((token as Tabs).codes, `tabs-${++group}`) },
    ],
    renderer: {
      code: codeHtml,
      heading({ tokens, text, depth }) {
        const id = slugOf(text.replaceAll('`', ''))
        return `<h${depth} id="${id}">${this.parser.parseInline(tokens)}</h${depth}>\n`
      },
      link({ href, tokens }) {
        const text = this.parser.parseInline(tokens)
        const target = linkOf(href)
        return target === undefined ? text : `<a href="${escaped(target)}">${text}</a>`
      },
      table(token) {
        const cellHtml = ({ tokens, text }: Tokens.TableCell, tag: string) => {
          // Omits an empty header.
          const name = text === '' ? 'td' : tag
          return `<${name}>${this.parser.parseInline(tokens)}</${name}>`
        }
        const cells = (row: Tokens.TableCell[], tag: string) =>
          row.map((cell) => cellHtml(cell, tag)).join('')
        const body = token.rows.map((row) => `<tr>${cells(row, 'td')}</tr>`).join('\n')
        const head = `<thead><tr>${cells(token.header, 'th')}</tr></thead>`
        const table = `<table>${head}<tbody>${body}</tbody></table>`
        return `<div class="table" tabindex="0">${table}</div>\n`
      },
    },
  })
}

/** Renders a documentation page, with code tabs, syntax highlighting and linked headings. */
export const renderMarkdown = async (
  text: string,
  linkOf: (href: string) => string | undefined,
): Promise<{ html: string; sections: Section[] }> => {
  const marked = markedFor(linkOf)
  const tokens = withTabs(marked.lexer(text))
  return { html: marked.parser(tokens), sections: sectionsOf(tokens) }
}
