// Fetches the parts of a page again when the server tells of a change; the page works without it.
'use strict'
const main = document.querySelector('main[data-follow]')
if (main) {
  const isBusy = () =>
    document.hidden ||
    [...document.querySelectorAll('[data-part] input, [data-part] select')].includes(
      document.activeElement,
    )
  const renew = async () => {
    const answer = await fetch(location.href).catch(() => undefined)
    if (!answer?.ok) return
    const page = new DOMParser().parseFromString(await answer.text(), 'text/html')
    // Of page.js.
    showTimes(page)
    for (const part of document.querySelectorAll('[data-part]')) {
      const fresh = page.querySelector('[data-part="' + part.dataset.part + '"]')
      if (fresh && fresh.innerHTML !== part.innerHTML) part.innerHTML = fresh.innerHTML
    }
    main.dataset.follow = page.querySelector('main')?.dataset.follow ?? main.dataset.follow
  }
  const follow = () => {
    const source = new EventSource(main.dataset.follow)
    source.addEventListener('changed', async () => {
      source.close()
      while (isBusy()) await new Promise((done) => setTimeout(done, 1000))
      await renew()
      setTimeout(follow, 1000)
    })
  }
  follow()
}
