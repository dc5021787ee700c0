/** Makes pages follow along; every page works without it. */
export const pageScript = `'use strict'
for (const time of document.querySelectorAll('time[datetime]'))
  time.textContent = new Date(time.dateTime).toLocaleString(
    document.documentElement.lang,
    'clock' in time.dataset ? { timeStyle: 'short' } : { dateStyle: 'medium', timeStyle: 'short' },
  )
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
