import { route, type Route } from '../route.ts'

const style = `
:root {
  color-scheme: light dark;
  --text: #1a212b; --quiet: #566170; --line: #d5dbe3; --ground: #f4f6f9; --card: #fff;
  --accent: #0b57a4; --on-accent: #fff; --bad: #a8231a; --good: #17693a;
}
@media (prefers-color-scheme: dark) {
  :root {
    --text: #e9edf3; --quiet: #a5b0be; --line: #3a4452; --ground: #10141a; --card: #1a2029;
    --accent: #86bdf5; --on-accent: #0c1b2b; --bad: #ff9d94; --good: #7fd6a0;
  }
}
* { box-sizing: border-box; }
body { margin: 0; overflow-wrap: anywhere; font: 17px/1.5 system-ui, sans-serif; color: var(--text); background: var(--ground); }
header { display: flex; flex-wrap: wrap; align-items: center; gap: 0 1.25rem; padding: .2rem max(1rem, calc(50vw - 26rem)); background: var(--card); border-bottom: 1px solid var(--line); margin-bottom: 1.2rem; }
.brand { font-weight: 700; letter-spacing: .02em; color: var(--quiet); margin-right: auto; min-height: 44px; display: flex; align-items: center; }
nav { display: flex; flex-wrap: wrap; gap: 0 1.1rem; align-items: center; font-size: .95rem; }
@media (max-width: 30rem) { .brand:not(:only-child) { display: none; } nav { width: 100%; justify-content: space-between; gap: 0 .6rem; } }
nav a, nav button { min-height: 44px; display: inline-flex; align-items: center; }
nav form { margin: 0; }
main { max-width: 32rem; margin: 0 auto; padding: 0 1rem 3rem; }
main:has(.wide) { max-width: 52rem; }
.card { background: var(--card); border: 1px solid var(--line); border-radius: 14px; padding: 1.4rem 1.4rem 1.5rem; margin: .6rem 0 1.2rem; }
.wide { display: grid; gap: 1.2rem 2.2rem; }
@media (min-width: 46rem) { .wide { grid-template-columns: 1fr minmax(15rem, 18rem); } }
h1 { font-size: 1.35rem; line-height: 1.3; margin: 0 0 .6rem; }
h2 { font-size: 1.05rem; margin: 1.5rem 0 .4rem; }
p { margin: .5rem 0; }
a { color: var(--accent); }
.quiet { color: var(--quiet); }
.small { font-size: .9rem; }
.amount { font-size: clamp(2.4rem, 11vw, 3.2rem); font-weight: 700; line-height: 1.15; margin: .2rem 0 .6rem; font-variant-numeric: tabular-nums; overflow-wrap: anywhere; }
.amount.long { font-size: clamp(1.5rem, 7vw, 2.4rem); }
.amount.longest { font-size: clamp(1.05rem, 4.6vw, 1.7rem); }
label { display: block; font-weight: 600; margin: 1rem 0 .3rem; }
input:not([type=checkbox]):not([type=hidden]) { width: 100%; min-height: 48px; padding: .5rem .75rem; font: inherit; color: inherit; background: var(--card); border: 1px solid var(--quiet); border-radius: 10px; }
.check { display: flex; gap: .75rem; align-items: center; min-height: 44px; font-weight: 400; margin: 0; }
.check input { width: 1.4rem; height: 1.4rem; accent-color: var(--accent); flex: none; }
button, .button { display: inline-flex; justify-content: center; align-items: center; min-height: 50px; padding: .5rem 1.2rem; font: inherit; font-weight: 600; border-radius: 10px; border: 1px solid var(--accent); background: var(--accent); color: var(--on-accent); cursor: pointer; text-decoration: none; }
button.second, .button.second { background: transparent; color: var(--accent); }
button.plain { border: 0; background: none; color: var(--accent); padding: 0; font-weight: 400; font-size: inherit; text-decoration: underline; }
.actions { display: grid; gap: .7rem; margin-top: 1.4rem; }
.actions > * { width: 100%; min-width: 0; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
.problem { border-left: 5px solid var(--bad); padding: .5rem .9rem; margin: 0 0 1rem; color: var(--bad); font-weight: 600; }
.note { border-left: 5px solid var(--accent); padding: .5rem .9rem; margin: 0 0 1rem; }
.state { display: flex; gap: .7rem; align-items: baseline; font-weight: 700; font-size: 1.15rem; border-radius: 10px; padding: .6rem .9rem; margin: 0 0 1rem; background: var(--ground); }
.state small { display: block; font-weight: 400; font-size: .95rem; color: var(--quiet); }
.state.good, .state.good::before { color: var(--good); }
.state.bad, .state.bad::before { color: var(--bad); }
.state.good::before { content: '✓'; }
.state.bad::before { content: '✕'; }
table { width: 100%; border-collapse: collapse; margin: .4rem 0; }
td, th { text-align: left; padding: .45rem 0; border-bottom: 1px solid var(--line); vertical-align: top; font-weight: 400; }
td:first-child { min-width: 5rem; }
td:last-child { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; padding-left: 1rem; }
tr.sum > * { font-weight: 700; border-bottom: 0; }
ul.list { list-style: none; padding: 0; margin: .6rem 0; }
ul.list > li { border-bottom: 1px solid var(--line); }
ul.list > li:last-child { border-bottom: 0; }
.row { display: flex; justify-content: space-between; align-items: center; gap: 1rem; min-height: 60px; padding: .5rem 0; color: inherit; text-decoration: none; }
.row > :first-child { min-width: 0; }
form.row, .row:has(> b) { flex-wrap: wrap; gap: .2rem 1rem; }
.row > b { margin-left: auto; }
.row ul { margin: .2rem 0; padding-left: 1.2rem; }
.row b { font-variant-numeric: tabular-nums; white-space: nowrap; }
a.row.link { color: var(--accent); text-decoration: underline; min-height: 44px; }
a.row:hover b { text-decoration: underline; }
fieldset { border: 0; padding: 0; margin: 1rem 0 0; }
legend { padding: 0; font-weight: 600; margin-bottom: .2rem; }
.qr { text-align: center; }
.qr h2 { margin-top: .3rem; }
.attached { max-width: 100%; border-radius: 12px; }
.qr img { width: min(100%, 15rem); background: #fff; border-radius: 12px; padding: .6rem; }
code { font: .95rem/1.6 ui-monospace, monospace; overflow-wrap: anywhere; }
@media (max-width: 46rem) { .computer { display: none; } }
`

/** Makes pages follow along; every page works without it. */
const script = `'use strict'
for (const time of document.querySelectorAll('time[datetime]'))
  time.textContent = new Date(time.dateTime).toLocaleString(document.documentElement.lang, { dateStyle: 'medium', timeStyle: 'short' })
// The answer to a form that leads to this very page stands for that page: to go back to it, or to load it again, sends
// nothing a second time.
if ([...document.querySelectorAll('main form')].some((form) => form.method === 'post' && form.action === location.href))
  history.replaceState(null, '', location.href)
const live = document.querySelector('[data-live]')
if (live) {
  const source = new EventSource(live.dataset.live)
  for (const form of document.forms) form.addEventListener('submit', () => source.close())
  source.addEventListener('changed', () => {
    source.close()
    const form = document.querySelector('form[data-continue]')
    if (form) form.requestSubmit()
    else location.reload()
  })
  source.addEventListener('over', () => source.close())
  const isTypedIn = () => [...document.querySelectorAll('input')].some((input) => input.value !== input.defaultValue)
  source.addEventListener('error', () => {
    if (source.readyState === EventSource.CLOSED) setInterval(() => isTypedIn() || location.reload(), 10000)
  })
}
const fresh = document.querySelector('[data-refresh]')
if (fresh)
  setInterval(async () => {
    if (document.hidden) return
    const answer = await fetch(location.href).catch(() => undefined)
    if (!answer) return
    const page = new DOMParser().parseFromString(await answer.text(), 'text/html')
    const linksIn = (part) => [...part.querySelectorAll('[data-refresh] a')].map((link) => link.href).join()
    if (linksIn(page) !== linksIn(document)) location.reload()
  }, 5000)
for (const text of document.querySelectorAll('[data-scripted]')) text.hidden = false
const away = document.querySelector('a[data-return]')
const stay = document.querySelector('[data-stay]')
if (away && stay) {
  const leaving = setTimeout(() => location.assign(away.href), 5000)
  stay.hidden = false
  stay.addEventListener('click', () => {
    clearTimeout(leaving)
    for (const said of [stay, ...document.querySelectorAll('[data-scripted]')]) said.hidden = true
    away.focus()
  })
}
const extra = document.querySelector('input[data-total]')
if (extra) {
  const { total, currency, decimals } = extra.dataset
  const digits = { minimumFractionDigits: decimals, maximumFractionDigits: decimals }
  const format = new Intl.NumberFormat(document.documentElement.lang, { style: 'currency', currency, ...digits })
  const show = () => {
    // As it will be read: what is taken is what was shown.
    const sum = Number(total) + Number(extra.value.replace(/\\s/g, '').replace(',', '.') || 0)
    if (!Number.isNaN(sum))
      for (const place of document.querySelectorAll('[data-sum]')) place.textContent = format.format(sum)
  }
  extra.addEventListener('input', show)
  show()
}
`

const asset = (path: string, type: string, body: string): Route =>
  route({
    method: 'GET',
    path,
    access: 'OPEN',
    group: 'Pages',
    summary: `What pages are made of: ${path.split('/').at(-1) ?? ''}`,
    success: 'raw',
    replyTypes: [type],
    handle: () => ({
      type: `${type}; charset=utf-8`,
      body,
      headers: { 'Cache-Control': 'public, max-age=3600', 'X-Content-Type-Options': 'nosniff' },
    }),
  })

export const pageAssetRoutes = (): Route[] => [
  asset('/payer/style.css', 'text/css', style),
  asset('/payer/live.js', 'text/javascript', script),
]
