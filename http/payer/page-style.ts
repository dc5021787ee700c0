/** The one stylesheet of the payers' pages. */
export const pageStyle = `
:root {
  color-scheme: light dark;
  --text: #16202c; --quiet: #55606e; --line: #dde2e8; --edge: #818c99; --ground: #f3f5f8; --card: #fff;
  --accent: #0b57d0; --on-accent: #fff; --hover: #0a48ad; --tint: #eef3fc; --bad: #a8231a; --bad-tint: #fdf0ef;
  --good: #126b3a; --good-tint: #ecf7f0; --shadow: 0 1px 2px #16202c14, 0 8px 28px #16202c12;
}
@media (prefers-color-scheme: dark) {
  :root {
    --text: #eef1f5; --quiet: #a9b3c0; --line: #313a46; --edge: #77828f; --ground: #0e1217; --card: #181e26;
    --accent: #8ab4f8; --on-accent: #0a1a33; --hover: #a9c8fa; --tint: #1d2735; --bad: #ff9d94; --bad-tint: #33201f;
    --good: #7fd6a0; --good-tint: #182b20; --shadow: 0 1px 2px #0008;
  }
}
* { box-sizing: border-box; }
[hidden] { display: none !important; }
body { margin: 0; min-height: 100vh; min-height: 100dvh; display: flex; flex-direction: column; overflow-wrap: anywhere; font: 17px/1.5 system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif; color: var(--text); background: var(--ground); }
a { color: var(--accent); text-underline-offset: .15em; }
h1 { font-size: 1.35rem; line-height: 1.3; margin: 0 0 .6rem; letter-spacing: -.01em; }
h2 { font-size: 1.05rem; margin: 1.6rem 0 .4rem; }
p { margin: .5rem 0; }
.quiet { color: var(--quiet); }
.small { font-size: .9rem; }
code { font: .95rem/1.6 ui-monospace, monospace; overflow-wrap: anywhere; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }

/* The shell */
body > header { display: flex; flex-wrap: wrap; align-items: center; gap: 0 1.25rem; padding: .3rem max(1rem, calc(50vw - 30rem)); background: var(--card); border-bottom: 1px solid var(--line); }
.brand { font-weight: 700; letter-spacing: -.01em; margin-right: auto; min-height: 44px; display: flex; align-items: center; gap: .55rem; color: var(--text); text-decoration: none; }
.brand svg { width: 1.6rem; height: 1.6rem; flex: none; }
nav { display: flex; flex-wrap: wrap; gap: 0 1.1rem; align-items: center; font-size: .95rem; }
nav a, nav button { min-height: 44px; min-width: 44px; display: inline-flex; align-items: center; justify-content: center; }
nav a[aria-current] { color: var(--text); font-weight: 600; text-decoration: none; }
nav form { margin: 0; }
main { flex: 1; width: 100%; max-width: 34rem; margin: 0 auto; padding: 1.2rem 1rem 2rem; }
main:has(.wide, .split) { max-width: 62rem; }
footer { display: flex; flex-wrap: wrap; justify-content: center; align-items: center; gap: 0 1.5rem; padding: .4rem 1rem 1.4rem; font-size: .9rem; color: var(--quiet); }
footer a { color: inherit; min-height: 44px; min-width: 44px; display: inline-flex; align-items: center; justify-content: center; }
@media (max-width: 30rem) {
  header .brand:not(:only-child) { display: none; }
  body > header > nav { width: 100%; justify-content: space-between; gap: 0 .6rem; }
}

/* Cards */
.card { background: var(--card); border: 1px solid var(--line); border-radius: 16px; padding: 1.5rem; margin: 0 0 1.2rem; box-shadow: var(--shadow); }
.wide { display: grid; gap: 1.2rem 2.2rem; }
@media (min-width: 46rem) { .wide { grid-template-columns: 1fr minmax(15rem, 18rem); } }
.split { display: grid; padding: 0; overflow: hidden; }
.split > * { padding: 1.5rem; min-width: 0; }
.split > .order { background: var(--tint); border-bottom: 1px solid var(--line); }
@media (min-width: 46rem) {
  .split { grid-template-columns: 1fr 1fr; }
  .split > * { padding: 2.2rem; }
  .split > .order { border-bottom: 0; border-right: 1px solid var(--line); }
}
.split .card { background: none; border: 0; border-radius: 0; box-shadow: none; padding: 0; }
.split form > h2:first-of-type, .split section > h2:first-child { margin-top: 0; }
.waiting { margin-top: 1.6rem; padding-top: .6rem; border-top: 1px solid var(--line); }
.back { display: inline-flex; align-items: center; gap: .45rem; min-height: 44px; font-size: .95rem; text-decoration: none; margin: 0 0 .4rem; }
.back::before { content: '←'; }
.back:hover { text-decoration: underline; }
.shop { display: flex; align-items: center; gap: .8rem; margin: 0 0 1rem; }
.shop h1, .shop p { margin: 0; }
.logo { width: 48px; height: 48px; flex: none; border-radius: 12px; border: 1px solid var(--line); background: #fff; object-fit: contain; }
span.logo { display: flex; align-items: center; justify-content: center; border: 0; background: var(--accent); color: var(--on-accent); font-weight: 700; font-size: 1.3rem; }
.amount { font-size: clamp(2.3rem, 10.5vw, 3.4rem); font-weight: 700; line-height: 1.15; letter-spacing: -.02em; margin: .1rem 0 .5rem; font-variant-numeric: tabular-nums; overflow-wrap: anywhere; }
.amount.long { font-size: clamp(1.5rem, 7vw, 2.4rem); }
.amount.longest { font-size: clamp(1.05rem, 4.6vw, 1.7rem); }

/* Forms */
label { display: block; font-weight: 600; margin: 1rem 0 .3rem; }
input:not([type=checkbox]):not([type=radio]):not([type=hidden]) { width: 100%; min-height: 50px; padding: .5rem .8rem; font: inherit; color: inherit; background: var(--card); border: 1px solid var(--edge); border-radius: 10px; }
input[aria-invalid=true]:not([type=checkbox]) { border: 2px solid var(--bad); }
.check { display: flex; gap: .75rem; align-items: center; min-height: 44px; font-weight: 400; margin: 0; }
.check input { width: 1.4rem; height: 1.4rem; accent-color: var(--accent); flex: none; }
button, .button { display: inline-flex; justify-content: center; align-items: center; min-height: 52px; padding: .5rem 1.2rem; font: inherit; font-weight: 600; border-radius: 12px; border: 1px solid var(--accent); background: var(--accent); color: var(--on-accent); cursor: pointer; text-decoration: none; text-align: center; }
button:hover, .button:hover { background: var(--hover); border-color: var(--hover); }
button.second, .button.second { background: transparent; color: var(--accent); border-color: var(--edge); }
button.second:hover, .button.second:hover { background: var(--tint); border-color: var(--accent); }
button.plain, button.plain:hover { border: 0; background: none; color: var(--accent); padding: 0; font-weight: 400; font-size: inherit; text-decoration: underline; }
.actions { display: grid; gap: .7rem; margin-top: 1.4rem; }
.actions > * { width: 100%; min-width: 0; }
fieldset { border: 0; padding: 0; margin: 1rem 0 0; }
legend { padding: 0; font-weight: 600; margin-bottom: .2rem; }
.chips { display: grid; grid-template-columns: repeat(5, 1fr); gap: .4rem; list-style: none; padding: 0; margin: .4rem 0 .2rem; }
.chips a { display: flex; align-items: center; justify-content: center; min-height: 48px; border: 1px solid var(--edge); border-radius: 10px; text-decoration: none; font-size: .95rem; color: var(--text); background: var(--card); }
.chips a:hover { border-color: var(--accent); }
.chips a[aria-current] { background: var(--accent); border-color: var(--accent); color: var(--on-accent); font-weight: 600; }
.wrong { color: var(--bad); font-weight: 600; }
.or { display: flex; align-items: center; gap: .9rem; color: var(--quiet); font-size: .9rem; margin: 1.2rem 0; }
.or::before, .or::after { content: ''; flex: 1; border-top: 1px solid var(--line); }

/* What is told */
.problem, .note { border-radius: 10px; padding: .7rem .9rem; margin: 0 0 1rem; }
.problem { background: var(--bad-tint); color: var(--bad); font-weight: 600; }
.note { background: var(--tint); }
.state { display: flex; gap: .7rem; align-items: baseline; font-weight: 700; font-size: 1.15rem; border-radius: 12px; padding: .8rem 1rem; margin: 0 0 1.2rem; background: var(--tint); }
.state small { display: block; font-weight: 400; font-size: .95rem; color: var(--text); }
.state.good { background: var(--good-tint); color: var(--good); }
.state.bad { background: var(--bad-tint); color: var(--bad); }
.state.good::before { content: '✓'; }
.state.bad::before { content: '✕'; }

/* Tables and lists */
table { width: 100%; border-collapse: collapse; margin: .4rem 0; }
td, th { text-align: left; padding: .5rem 0; border-bottom: 1px solid var(--line); vertical-align: top; font-weight: 400; }
td:first-child, th:first-child { min-width: 5rem; }
td:last-child { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; padding-left: 1rem; }
tr:last-child > * { border-bottom: 0; }
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
.qr { text-align: center; }
.qr h2 { margin-top: .3rem; }
.qr img { width: min(100%, 15rem); height: auto; background: #fff; border-radius: 12px; padding: .6rem; }
.attached { max-width: 100%; border-radius: 12px; }
@media (max-width: 46rem) { .computer { display: none; } .split > section > .actions { margin-top: 0; } }
@media (min-width: 46.001rem) { .narrow { display: none; } }
`
