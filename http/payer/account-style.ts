/** What the pages of the account need beside the common style: forms of people, rows, what was granted. */
export const accountStyle = `
.unseen { position: absolute; width: 1px; height: 1px; margin: -1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
select { width: 100%; min-height: 50px; padding: .5rem .8rem; font: inherit; color: inherit; background: var(--card); border: 1px solid var(--edge); border-radius: 10px; }
.pair { display: grid; grid-template-columns: minmax(6rem, 1fr) 2fr; gap: 0 .8rem; }
.wrong { color: var(--bad); font-weight: 600; margin: .35rem 0 0; }
button.slim, .button.slim { min-height: 44px; padding: .3rem .9rem; width: auto; font-size: .95rem; border-radius: 10px; }
button[data-reveal] { margin-top: .5rem; }
a.lone { display: inline-flex; align-items: center; min-height: 44px; }
.copied { display: flex; flex-wrap: wrap; align-items: center; gap: .5rem 1rem; }
.copied code { flex: 1 1 14rem; padding: .6rem .8rem; border-radius: 10px; background: var(--tint); }
.value { display: block; color: var(--quiet); font-size: .95rem; font-weight: 400; }
.choice { border-top: 1px solid var(--line); padding-top: 1rem; }
.choice legend { float: left; width: 100%; }
.choice legend + * { clear: both; }
.choice .check { align-items: flex-start; padding: .6rem 0; border-bottom: 1px solid var(--line); }
.choice .check:last-child { border-bottom: 0; }
.choice .check input { margin: .1rem 0 0; }
.entry { padding: 0 0 1rem 2.2rem; border-bottom: 1px solid var(--line); }
.choice .check:has(+ .entry) { border-bottom: 0; padding-bottom: 0; }
.entry label:first-child { margin-top: .4rem; }
.entry label { font-weight: 500; font-size: .95rem; margin-top: .7rem; }
.scopes { list-style: none; margin: .4rem 0; padding: 0; }
.scopes li { padding: .3rem 0; }
h1.hello { font-size: 1.5rem; margin: .2rem 0 1rem; }
.card > h2:first-child { margin-top: 0; }
.details { margin: .4rem 0; }
.details > div { padding: .55rem 0; border-bottom: 1px solid var(--line); }
.details > div:last-child { border-bottom: 0; }
.details dt { color: var(--quiet); font-size: .9rem; }
.details dd { margin: 0; }
form.row.device { flex-wrap: nowrap; margin: 0; }
.device > :last-child { flex: none; }
.row .name { display: block; font-weight: 600; }
.row .about { display: block; }
.consent { padding: 1rem 0; }
.consent > h2 { margin: 0; }
.consent .row { padding: 0; }
button.danger { background: var(--bad); border-color: var(--bad); color: var(--card); }
button.danger:hover { filter: brightness(.92); }
.who { display: flex; flex-wrap: wrap; align-items: center; gap: 0 .4rem; padding: .4rem .9rem; border-radius: 10px; background: var(--tint); }
.who a { min-height: 44px; display: inline-flex; align-items: center; margin-left: auto; }
`
