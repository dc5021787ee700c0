// Live updates and tips; every page works without it.
'use strict'
const showTimes = (page) => {
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone
  for (const time of page.querySelectorAll('time[datetime]')) {
    const text = new Date(time.dateTime).toLocaleString(
      document.documentElement.lang,
      'clock' in time.dataset
        ? { timeStyle: 'short' }
        : { dateStyle: 'medium', timeStyle: 'short' },
    )
    // By the clocks of a shop; the reader's own are told on hover.
    if (!('zone' in time.dataset)) time.textContent = text
    else if (time.dataset.zone !== own) time.title = text + ' ' + own
  }
}
showTimes(document)
// The answer to a form replaces the page of that form: going back sends nothing again.
if (
  [...document.querySelectorAll('main form')].some(
    (form) => form.method === 'post' && form.action === location.href,
  )
)
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
  const isTypedIn = () =>
    [...document.querySelectorAll('input')].some((input) => input.value !== input.defaultValue)
  source.addEventListener('error', () => {
    if (source.readyState === EventSource.CLOSED)
      setInterval(() => isTypedIn() || location.reload(), 10000)
  })
}
const fresh = document.querySelector('[data-refresh]')
if (fresh) {
  const refresh = async () => {
    if (document.hidden) return
    const answer = await fetch(location.href)
    const page = new DOMParser().parseFromString(await answer.text(), 'text/html')
    const linksIn = (part) =>
      [...part.querySelectorAll('[data-refresh] a')].map((link) => link.href).join()
    if (linksIn(page) !== linksIn(document)) location.reload()
  }
  setInterval(() => {
    refresh().catch(() => {})
  }, 5000)
}
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
  const { currency, decimals, wrong, large, tooLarge } = extra.dataset
  const scale = 10 ** decimals
  const total = Math.round(extra.dataset.total * scale)
  const digits = { minimumFractionDigits: decimals, maximumFractionDigits: decimals }
  const format = new Intl.NumberFormat(document.documentElement.lang, {
    style: 'currency',
    currency,
    ...digits,
  })
  const shown = (minor) => format.format(minor / scale)
  const fraction = decimals === '0' ? '' : '([.,]\\d{1,' + decimals + '})?'
  const pattern = new RegExp('^(0|[1-9]\\d{0,11})' + fraction + '$')
  const chips = [...document.querySelectorAll('a[data-tip]')]
  const note = document.getElementById('extra-problem')
  const confirmed = document.querySelector('input[name=confirmed]')
  // As it will be read: what is taken is what was shown.
  const minorOf = (typed) => {
    const text = typed.replace(/[\s\p{Cf}\p{Default_Ignorable_Code_Point}]/gu, '')
    if (text === '') return 0
    return pattern.test(text) ? Math.round(text.replace(',', '.') * scale) : undefined
  }
  const show = () => {
    const minor = minorOf(extra.value)
    const problem = minor === undefined ? wrong : minor > 10 * total ? tooLarge : ''
    const tip = problem ? 0 : minor
    extra.setCustomValidity(problem)
    extra.setAttribute('aria-invalid', String(problem !== ''))
    const isAsked = confirmed && minorOf(confirmed.value) === tip
    note.textContent = problem || (tip > total && !isAsked ? large : '')
    note.classList.toggle('wrong', problem !== '')
    note.hidden = note.textContent === ''
    for (const row of document.querySelectorAll('[data-extra]')) row.hidden = tip === 0
    for (const place of document.querySelectorAll('[data-extra-sum]'))
      place.textContent = shown(tip)
    const sum = shown(total + tip)
    for (const place of document.querySelectorAll('[data-sum]')) place.textContent = sum
    const amount = document.querySelector('.amount')
    amount.classList.toggle('long', sum.length > 11 && sum.length <= 16)
    amount.classList.toggle('longest', sum.length > 16)
    const chosen = chips.find(
      (chip) => chip.dataset.tip !== '' && minorOf(chip.dataset.tip) === minor,
    )
    for (const chip of chips) {
      if (chip === (chosen ?? chips.at(-1))) chip.setAttribute('aria-current', 'true')
      else chip.removeAttribute('aria-current')
    }
  }
  for (const chip of chips)
    chip.addEventListener('click', (event) => {
      event.preventDefault()
      if (chip.dataset.tip === '') return extra.focus()
      extra.value = minorOf(chip.dataset.tip) === 0 ? '' : chip.dataset.tip
      show()
    })
  extra.addEventListener('input', show)
  show()
}
