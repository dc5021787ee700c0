// Prints, and fetches the parts of a page again when the server tells of a change; the page works
// without it.
'use strict'
// Shows what only scripts can do; parts that come later have it too.
const enliven = (part) => {
  for (const button of part.querySelectorAll('[data-print]')) {
    button.hidden = false
    button.addEventListener('click', () => print())
  }
}
enliven(document)
// What is folded is printed all the same, also by browsers whose style sheets cannot unfold it.
let unfolded = []
addEventListener('beforeprint', () => {
  unfolded = [...document.querySelectorAll('.fold:not([open])')]
  for (const fold of unfolded) fold.open = true
})
addEventListener('afterprint', () => {
  for (const fold of unfolded) fold.open = false
})
// A row of links that is wider than the screen begins where the current one is.
for (const link of document.querySelectorAll('nav [aria-current]')) {
  const row = link.closest('nav')
  const { left, width } = link.getBoundingClientRect()
  row.scrollLeft += left + width / 2 - innerWidth / 2
}
// Where nobody has typed a time zone yet, it is that of the browser. One that hides it says UTC.
const zone = document.querySelector('[data-own-zone]')
const own = Intl.DateTimeFormat().resolvedOptions().timeZone
if (zone && own && own !== 'UTC') zone.value = own
// `/` leads to the search, and arrows through what it has found.
const seek = document.querySelector('[data-seek]')
addEventListener('keydown', (event) => {
  const { key, target } = event
  if (!seek || event.ctrlKey || event.metaKey || event.altKey) return
  if (key === seek.dataset.seek && !target.matches('input, select, textarea')) {
    event.preventDefault()
    seek.focus()
    seek.select()
    return
  }
  const step = { ArrowDown: 1, ArrowUp: -1 }[key]
  const found = [...document.querySelectorAll('.found a')]
  const at = found.indexOf(target)
  if (!step || found.length === 0 || (at < 0 && ![seek, document.body].includes(target))) return
  event.preventDefault()
  const next = found[at < 0 && step < 0 ? found.length - 1 : at + step] ?? seek
  next.focus()
})
const main = document.querySelector('main[data-follow]')
if (main) {
  const isBusy = () =>
    document.hidden ||
    ['INPUT', 'SELECT', 'TEXTAREA'].includes(document.activeElement?.tagName ?? '')
  // Whoever is on a link with the keyboard stays on it.
  const swap = (part, fresh) => {
    const href = part.contains(document.activeElement)
      ? document.activeElement.getAttribute('href')
      : null
    const folded = part.contains(document.activeElement) && document.activeElement.closest('.fold')
    const open = [...part.querySelectorAll('.fold[open]')].map(({ id }) => id)
    part.innerHTML = fresh.innerHTML
    for (const id of open) document.getElementById(id)?.setAttribute('open', '')
    enliven(part)
    // Of account.js.
    showCopies(part)
    if (href === null) {
      if (folded) document.getElementById(folded.id)?.querySelector('summary').focus()
      return
    }
    const links = [...part.querySelectorAll('a')].filter((link) => link.getClientRects().length > 0)
    links.find((link) => link.getAttribute('href') === href)?.focus()
  }
  // Whether something has happened that the page could not fetch.
  let isBehind = false
  let failures = 0
  // A stream that breaks off once comes again at once.
  const tellIfStale = () => {
    main.querySelector('[data-stale]').hidden = !isBehind && failures < 2
  }
  const renew = async () => {
    isBehind = true
    const answer = await fetch(location.href).catch(() => undefined)
    if (!answer?.ok) return
    const page = new DOMParser().parseFromString(await answer.text(), 'text/html')
    // Of page.js.
    showTimes(page)
    for (const part of document.querySelectorAll('[data-part]')) {
      const fresh = page.querySelector('[data-part="' + part.dataset.part + '"]')
      // The page to sign in has none of these parts.
      if (!fresh) continue
      swap(part, fresh)
      isBehind = false
    }
    // What is over, such as a closed report, has nothing to follow.
    if (!isBehind)
      main.dataset.follow = page.querySelector('main[data-follow]')?.dataset.follow ?? ''
  }
  const renewLater = async () => {
    while (isBusy()) await new Promise((done) => setTimeout(done, 1000))
    await renew()
  }
  const follow = () => {
    const source = new EventSource(main.dataset.follow)
    source.addEventListener('open', () => {
      failures = 0
      tellIfStale()
    })
    source.addEventListener('changed', () => {
      source.close()
      // However much happens: a page is fetched again every few seconds at most.
      const again = () => {
        tellIfStale()
        if (main.dataset.follow) setTimeout(follow, 3000)
      }
      renewLater().then(again, again)
    })
    // An answer that is no stream, such as 502, ends it: a browser comes again by itself only
    // after a stream that broke off.
    source.addEventListener('error', () => {
      const pause = Math.min(60000, 2000 * 2 ** failures)
      failures += 1
      tellIfStale()
      if (source.readyState === EventSource.CLOSED) setTimeout(follow, pause)
    })
  }
  follow()
}
