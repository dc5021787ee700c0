export const style = `
:root {
  color-scheme: light dark;
  --text: #1c2430; --quiet: #5b6675; --line: #d9dee6; --ground: #fff; --shade: #f4f6f9; --accent: #0b5fad;
}
@media (prefers-color-scheme: dark) {
  :root { --text: #e8ecf2; --quiet: #a3adbb; --line: #38414e; --ground: #14181f; --shade: #1b212a; --accent: #7db8f2; }
}
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 60rem; padding: 1rem; font: 16px/1.5 system-ui, sans-serif; color: var(--text); background: var(--ground); overflow-wrap: anywhere; }
h2 { border-bottom: 1px solid var(--line); margin: 2.5rem 0 .8rem; }
li { margin: .3rem 0; }
code, pre { font: 14px/1.5 ui-monospace, monospace; }
pre { white-space: pre-wrap; background: var(--shade); border: 1px solid var(--line); border-radius: 6px; padding: .6rem .8rem; margin: .6rem 0; }
p code, li code { background: var(--shade); border-radius: 4px; padding: .1em .25em; }
details { border: 1px solid var(--line); border-radius: 6px; margin: .5rem 0; }
summary { padding: .6rem .8rem; cursor: pointer; min-height: 44px; }
details > div { padding: 0 .8rem .8rem; }
b { display: inline-block; min-width: 4.2em; }
nav { border: 1px solid var(--line); border-radius: 6px; padding: .4rem .8rem; margin: 1rem 0; }
h2, details { scroll-margin-top: .6rem; }
nav h2 { border: 0; margin: .6rem 0 0; font-size: 1rem; }
nav ul { columns: 8.6rem; column-gap: 1rem; list-style: none; margin: 0; padding: 0; }
nav li { margin: 0; break-inside: avoid; }
nav a { display: flex; align-items: center; min-height: 44px; }
a { color: var(--accent); }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
.quiet { color: var(--quiet); }
`

const digest = async (text: string): Promise<string> =>
  Buffer.from(await crypto.subtle.digest('SHA-256', Buffer.from(text))).toString('base64')

/** Nothing but the style above: no script, nothing from elsewhere, no frame around it. */
export const policy = digest(style).then(
  (hash) =>
    `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
)
